// Copies. The functions that return when the copy is done use the default stream.
#include "interpose/record.hpp"

using namespace heddle::interpose;
using heddle::base::TraceEvent;
using Way = TraceEvent::Way;

namespace {

template <class Submit>
CUresult copy(CUstream stream, Way way, std::uint64_t bytes, Submit&& submit) {
  return record(
      stream,
      [&](Timeline&, TraceEvent& event, std::string&) {
        event.kind = TraceEvent::Kind::copy;
        event.way = way;
        event.bytes = bytes;
      },
      submit);
}

bool is_device(CUmemorytype type, CUdeviceptr address) {
  if (type != CU_MEMORYTYPE_UNIFIED) return type != CU_MEMORYTYPE_HOST;
  CUmemorytype found = CU_MEMORYTYPE_HOST;
  const CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  return HEDDLE_FORWARD(cuPointerGetAttribute, static_cast<void*>(&found), attribute, address) == CUDA_SUCCESS &&
         found == CU_MEMORYTYPE_DEVICE;
}

Way between(bool from_device, bool to_device) {
  return from_device == to_device ? Way::within : to_device ? Way::to_device : Way::to_host;
}

// Of an address alone.
Way way_of(CUdeviceptr to, CUdeviceptr from) {
  return between(is_device(CU_MEMORYTYPE_UNIFIED, from), is_device(CU_MEMORYTYPE_UNIFIED, to));
}

template <class Shape>
Way way_of(const Shape& shape) {
  return between(is_device(shape.srcMemoryType, shape.srcDevice), is_device(shape.dstMemoryType, shape.dstDevice));
}

}  // namespace

// The way of a copy is asked for only if there is a timeline.
#define HEDDLE_WAY(...) (Timeline::current() ? way_of(__VA_ARGS__) : Way::within)

#define HEDDLE_COPY(symbol, To, From, way, own)                                                     \
  HEDDLE_INTERPOSER(symbol)(To to, From from, size_t bytes) {                                       \
    return copy(own(nullptr), way, bytes, [&] { return HEDDLE_FORWARD(symbol, to, from, bytes); }); \
  }
#define HEDDLE_COPY_ASYNC(symbol, To, From, way, own)                                                      \
  HEDDLE_INTERPOSER(symbol)(To to, From from, size_t bytes, CUstream stream) {                             \
    return copy(own(stream), way, bytes, [&] { return HEDDLE_FORWARD(symbol, to, from, bytes, stream); }); \
  }
#define HEDDLE_COPIES(name, version, To, From, way)                         \
  HEDDLE_COPY(name##version, To, From, way, legacy_if_default)              \
  HEDDLE_COPY(name##version##_ptds, To, From, way, own_if_default)          \
  HEDDLE_COPY_ASYNC(name##Async##version, To, From, way, legacy_if_default) \
  HEDDLE_COPY_ASYNC(name##Async##version##_ptsz, To, From, way, own_if_default)

#undef cuMemcpy
#undef cuMemcpyAsync
HEDDLE_COPIES(cuMemcpy, , CUdeviceptr, CUdeviceptr, HEDDLE_WAY(to, from))
HEDDLE_COPIES(cuMemcpyHtoD, _v2, CUdeviceptr, const void*, Way::to_device)
HEDDLE_COPIES(cuMemcpyDtoH, _v2, void*, CUdeviceptr, Way::to_host)
HEDDLE_COPIES(cuMemcpyDtoD, _v2, CUdeviceptr, CUdeviceptr, Way::within)

#define HEDDLE_COPY_PEER(symbol, own)                                                                               \
  HEDDLE_INTERPOSER(symbol)                                                                                         \
  (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream) { \
    return copy(own(stream), Way::between_devices, bytes,                                                           \
                [&] { return HEDDLE_FORWARD(symbol, to, to_context, from, from_context, bytes, stream); });         \
  }
HEDDLE_COPY_PEER(cuMemcpyPeerAsync, legacy_if_default)
HEDDLE_COPY_PEER(cuMemcpyPeerAsync_ptsz, own_if_default)

#define HEDDLE_COPY_2D(symbol, own)                                                            \
  HEDDLE_INTERPOSER(symbol)(const CUDA_MEMCPY2D* shape, CUstream stream) {                     \
    const auto submit = [&] { return HEDDLE_FORWARD(symbol, shape, stream); };                 \
    if (!shape) return submit();                                                               \
    return copy(own(stream), HEDDLE_WAY(*shape), shape->WidthInBytes * shape->Height, submit); \
  }
HEDDLE_COPY_2D(cuMemcpy2DAsync_v2, legacy_if_default)
HEDDLE_COPY_2D(cuMemcpy2DAsync_v2_ptsz, own_if_default)

#define HEDDLE_COPY_3D(symbol, own)                                                                           \
  HEDDLE_INTERPOSER(symbol)(const CUDA_MEMCPY3D* shape, CUstream stream) {                                    \
    const auto submit = [&] { return HEDDLE_FORWARD(symbol, shape, stream); };                                \
    if (!shape) return submit();                                                                              \
    return copy(own(stream), HEDDLE_WAY(*shape), shape->WidthInBytes * shape->Height * shape->Depth, submit); \
  }
HEDDLE_COPY_3D(cuMemcpy3DAsync_v2, legacy_if_default)
HEDDLE_COPY_3D(cuMemcpy3DAsync_v2_ptsz, own_if_default)
