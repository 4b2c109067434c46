// Copies and fills. (array.cpp: copies that only arrays have.)
#include "cuda_api/core/copy.hpp"

#include "cuda_api/core/array.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

void copy_now(Context& context, void* to, const void* from, std::size_t size, cudaMemcpyKind kind, bool per_thread) {
  copy(context, context.stream(nullptr, per_thread), to, from, size, kind, kind != cudaMemcpyDeviceToDevice);
}

void copy_behind(Context& context, CUstream stream, void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                 bool per_thread) {
  copy(context, context.stream(stream, per_thread), to, from, size, kind, false);
}

// One side of a 2D or 3D copy: where it begins, and whether it is memory of a device's.
struct Side {
  BoxEnd end;
  bool device = false;
};

Side side_of(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, std::size_t pitch,
             std::size_t height, const BoxPlace& at, const heddle::BoxSize& size) {
  if (type == CU_MEMORYTYPE_ARRAY) return {end_in(array_of(array), at.x, at.y, at.z, size), true};
  require(type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED,
          cudaErrorInvalidValue, "a side of the copy is of no type of memory");
  const std::size_t row = pitch != 0 ? pitch : size.width, plane = times(row, height);
  require(plus(at.x, size.width) <= row, cudaErrorInvalidValue, "a row of the copy is wider than the pitch");
  void* const base = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer(device);
  return {{address_in_box(base, at, row, plane), row, plane}, type == CU_MEMORYTYPE_DEVICE};
}

cudaMemcpyKind kind_of(const Side& to, const Side& from) {
  if (to.device && from.device) return cudaMemcpyDeviceToDevice;
  if (to.device) return from.device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from.device ? cudaMemcpyDeviceToHost : cudaMemcpyDefault;
}

void copy_sides(Context& context, CUstream_st& stream, const Side& to, const Side& from, const heddle::BoxSize& size,
                bool wait) {
  // What is called device memory may also be the host's, where kernels reach it: only the other way round is an error.
  const cudaMemcpyKind kind = kind_of(to, from);
  copy_box(context, stream, to.end, from.end, size, kind, wait && kind != cudaMemcpyDeviceToDevice);
}

void copy_2d(Context& context, CUstream_st& stream, const CUDA_MEMCPY2D* p, bool wait) {
  require(p, cudaErrorInvalidValue, "no description of the copy");
  const heddle::BoxSize size{p->WidthInBytes, p->Height, 1};
  const Side to = side_of(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, p->Height,
                          {p->dstXInBytes, p->dstY, 0}, size);
  const Side from = side_of(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, p->Height,
                            {p->srcXInBytes, p->srcY, 0}, size);
  copy_sides(context, stream, to, from, size, wait);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
template <class Description>
void copy_3d(Context& context, CUstream_st& stream, const Description* p, bool wait) {
  require(p, cudaErrorInvalidValue, "no description of the copy");
  require(p->srcLOD == 0 && p->dstLOD == 0, cudaErrorInvalidValue, "memory that is no array has no levels of detail");
  const auto rows = [&](std::size_t height) { return height != 0 ? height : p->Height; };
  const bool from_array = p->srcMemoryType == CU_MEMORYTYPE_ARRAY, to_array = p->dstMemoryType == CU_MEMORYTYPE_ARRAY;
  require(from_array || plus(p->srcY, p->Height) <= rows(p->srcHeight) || p->Depth <= 1, cudaErrorInvalidValue,
          "the source's planes have fewer rows than are copied");
  require(to_array || plus(p->dstY, p->Height) <= rows(p->dstHeight) || p->Depth <= 1, cudaErrorInvalidValue,
          "the destination's planes have fewer rows than are copied");
  const heddle::BoxSize size{p->WidthInBytes, p->Height, p->Depth};
  const Side to = side_of(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, rows(p->dstHeight),
                          {p->dstXInBytes, p->dstY, p->dstZ}, size);
  const Side from = side_of(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, rows(p->srcHeight),
                            {p->srcXInBytes, p->srcY, p->srcZ}, size);
  copy_sides(context, stream, to, from, size, wait);
}

template <class T>
void check_aligned(CUdeviceptr p, std::size_t pitch = 0) {
  require(p % sizeof(T) == 0 && pitch % sizeof(T) == 0, cudaErrorInvalidValue,
          "the memory, or its pitch, is not a multiple of the value's size");
}

template <class T>
CUresult fill_call(const char* name, CUdeviceptr p, T value, std::size_t count, CUstream stream, bool per_thread) {
  return on_stream(name, stream, [&](Context& context) {
    check_aligned<T>(p);
    fill(context, context.stream(stream, per_thread), pointer(p), value, sizeof(T), times(count, sizeof(T)), false);
  });
}

template <class T>
CUresult fill_2d(const char* name, CUdeviceptr p, std::size_t pitch, T value, std::size_t width, std::size_t height,
                 CUstream stream, bool per_thread) {
  return on_stream(name, stream, [&](Context& context) {
    check_aligned<T>(p, pitch);
    require(times(width, sizeof(T)) <= pitch || height <= 1, cudaErrorInvalidValue, "a row is wider than the pitch");
    fill_box(context, context.stream(stream, per_thread), {pointer(p), pitch, 0}, {times(width, sizeof(T)), height, 1},
             value, sizeof(T), false);
  });
}

}  // namespace

HEDDLE_DRIVER_DS(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, std::size_t size), {
  HEDDLE_ARGUMENTS(to, from, size);
  return in_context(__func__, [&](Context& context) {
    copy_now(context, pointer(to), pointer(from), size, cudaMemcpyDefault, per_thread);
  });
})
HEDDLE_DRIVER_DS(cuMemcpyHtoD_v2, (CUdeviceptr to, const void* from, std::size_t size), {
  HEDDLE_ARGUMENTS(to, from, size);
  return in_context(__func__, [&](Context& context) {
    copy_now(context, pointer(to), from, size, cudaMemcpyHostToDevice, per_thread);
  });
})
HEDDLE_DRIVER_DS(cuMemcpyDtoH_v2, (void* to, CUdeviceptr from, std::size_t size), {
  HEDDLE_ARGUMENTS(to, from, size);
  return in_context(__func__, [&](Context& context) {
    copy_now(context, to, pointer(from), size, cudaMemcpyDeviceToHost, per_thread);
  });
})
HEDDLE_DRIVER_DS(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t size), {
  HEDDLE_ARGUMENTS(to, from, size);
  return in_context(__func__, [&](Context& context) {
    copy_now(context, pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice, per_thread);
  });
})
HEDDLE_DRIVER_DS(cuMemcpyPeer,
                 (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t size), {
                   HEDDLE_ARGUMENTS(to, to_context, from, from_context, size);
                   return in_context(__func__, [&](Context& context) {
                     context_of(to_context);
                     context_of(from_context);
                     copy_now(context, pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice, per_thread);
                   });
                 })
HEDDLE_DRIVER_SZ(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream stream), {
  HEDDLE_ARGUMENTS(to, from, size, stream);
  return on_stream(__func__, stream, [&](Context& context) {
    copy_behind(context, stream, pointer(to), pointer(from), size, cudaMemcpyDefault, per_thread);
  });
})
HEDDLE_DRIVER_SZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, std::size_t size, CUstream stream), {
  HEDDLE_ARGUMENTS(to, from, size, stream);
  return on_stream(__func__, stream, [&](Context& context) {
    copy_behind(context, stream, pointer(to), from, size, cudaMemcpyHostToDevice, per_thread);
  });
})
HEDDLE_DRIVER_SZ(cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t size, CUstream stream), {
  HEDDLE_ARGUMENTS(to, from, size, stream);
  return on_stream(__func__, stream, [&](Context& context) {
    copy_behind(context, stream, to, pointer(from), size, cudaMemcpyDeviceToHost, per_thread);
  });
})
HEDDLE_DRIVER_SZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream stream), {
  HEDDLE_ARGUMENTS(to, from, size, stream);
  return on_stream(__func__, stream, [&](Context& context) {
    copy_behind(context, stream, pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice, per_thread);
  });
})
HEDDLE_DRIVER_SZ(cuMemcpyPeerAsync,
                 (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t size,
                  CUstream stream),
                 {
                   HEDDLE_ARGUMENTS(to, to_context, from, from_context, size, stream);
                   return on_stream(__func__, stream, [&](Context& context) {
                     context_of(to_context);
                     context_of(from_context);
                     copy_behind(context, stream, pointer(to), pointer(from), size, cudaMemcpyDeviceToDevice,
                                 per_thread);
                   });
                 })

HEDDLE_DRIVER_DS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D* p), {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context& c) { copy_2d(c, c.stream(nullptr, per_thread), p, true); });
})
HEDDLE_DRIVER_DS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D* p), {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context& c) { copy_2d(c, c.stream(nullptr, per_thread), p, true); });
})
HEDDLE_DRIVER_DS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D* p), {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context& c) { copy_3d(c, c.stream(nullptr, per_thread), p, true); });
})
HEDDLE_DRIVER_DS(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER* p), {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context& c) { copy_3d(c, c.stream(nullptr, per_thread), p, true); });
})
HEDDLE_DRIVER_SZ(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* p, CUstream stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return on_stream(__func__, stream, [&](Context& c) { copy_2d(c, c.stream(stream, per_thread), p, false); });
})
HEDDLE_DRIVER_SZ(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D* p, CUstream stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return on_stream(__func__, stream, [&](Context& c) { copy_3d(c, c.stream(stream, per_thread), p, false); });
})
HEDDLE_DRIVER_SZ(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER* p, CUstream stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return on_stream(__func__, stream, [&](Context& c) { copy_3d(c, c.stream(stream, per_thread), p, false); });
})

HEDDLE_DRIVER_DS(cuMemsetD8_v2, (CUdeviceptr p, unsigned char value, std::size_t count), {
  HEDDLE_ARGUMENTS(p, value, count);
  return fill_call(__func__, p, value, count, nullptr, per_thread);
})
HEDDLE_DRIVER_DS(cuMemsetD16_v2, (CUdeviceptr p, unsigned short value, std::size_t count), {
  HEDDLE_ARGUMENTS(p, value, count);
  return fill_call(__func__, p, value, count, nullptr, per_thread);
})
HEDDLE_DRIVER_DS(cuMemsetD32_v2, (CUdeviceptr p, unsigned value, std::size_t count), {
  HEDDLE_ARGUMENTS(p, value, count);
  return fill_call(__func__, p, value, count, nullptr, per_thread);
})
HEDDLE_DRIVER_SZ(cuMemsetD8Async, (CUdeviceptr p, unsigned char value, std::size_t count, CUstream stream), {
  HEDDLE_ARGUMENTS(p, value, count, stream);
  return fill_call(__func__, p, value, count, stream, per_thread);
})
HEDDLE_DRIVER_SZ(cuMemsetD16Async, (CUdeviceptr p, unsigned short value, std::size_t count, CUstream stream), {
  HEDDLE_ARGUMENTS(p, value, count, stream);
  return fill_call(__func__, p, value, count, stream, per_thread);
})
HEDDLE_DRIVER_SZ(cuMemsetD32Async, (CUdeviceptr p, unsigned value, std::size_t count, CUstream stream), {
  HEDDLE_ARGUMENTS(p, value, count, stream);
  return fill_call(__func__, p, value, count, stream, per_thread);
})
HEDDLE_DRIVER_DS(cuMemsetD2D8_v2,
                 (CUdeviceptr p, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height), {
                   HEDDLE_ARGUMENTS(p, pitch, value, width, height);
                   return fill_2d(__func__, p, pitch, value, width, height, nullptr, per_thread);
                 })
HEDDLE_DRIVER_DS(cuMemsetD2D16_v2,
                 (CUdeviceptr p, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height), {
                   HEDDLE_ARGUMENTS(p, pitch, value, width, height);
                   return fill_2d(__func__, p, pitch, value, width, height, nullptr, per_thread);
                 })
HEDDLE_DRIVER_DS(cuMemsetD2D32_v2,
                 (CUdeviceptr p, std::size_t pitch, unsigned value, std::size_t width, std::size_t height), {
                   HEDDLE_ARGUMENTS(p, pitch, value, width, height);
                   return fill_2d(__func__, p, pitch, value, width, height, nullptr, per_thread);
                 })
HEDDLE_DRIVER_SZ(cuMemsetD2D8Async,
                 (CUdeviceptr p, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height,
                  CUstream stream),
                 {
                   HEDDLE_ARGUMENTS(p, pitch, value, width, height, stream);
                   return fill_2d(__func__, p, pitch, value, width, height, stream, per_thread);
                 })
HEDDLE_DRIVER_SZ(cuMemsetD2D16Async,
                 (CUdeviceptr p, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height,
                  CUstream stream),
                 {
                   HEDDLE_ARGUMENTS(p, pitch, value, width, height, stream);
                   return fill_2d(__func__, p, pitch, value, width, height, stream, per_thread);
                 })
HEDDLE_DRIVER_SZ(cuMemsetD2D32Async,
                 (CUdeviceptr p, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
                  CUstream stream),
                 {
                   HEDDLE_ARGUMENTS(p, pitch, value, width, height, stream);
                   return fill_2d(__func__, p, pitch, value, width, height, stream, per_thread);
                 })
