// cudaMemcpy and cudaMemset. (array.cpp: copies that only arrays have.)
#include "cuda_api/core/copy.hpp"

#include "cuda_api/core/array.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

// A copy between memories of the host, and one that goes to or from memory that is not pinned, is over when the call
// comes back; within a device it need not be.
bool waits(cudaMemcpyKind kind) { return kind != cudaMemcpyDeviceToDevice; }

cudaError_t copy_call(const char* function, void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                      cudaStream_t stream, bool per_thread, bool wait) {
  return with_context(function, [&](Context& context) {
    CUstream_st& in = context.any_stream(stream, per_thread);
    copy(*in.context, in, to, from, size, kind, wait);
  });
}

cudaError_t copy_2d(const char* function, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool per_thread,
                    bool wait) {
  return with_context(function, [&](Context& context) {
    require(width <= to_pitch && width <= from_pitch, cudaErrorInvalidPitchValue, "a row is wider than the pitch");
    CUstream_st& in = context.any_stream(stream, per_thread);
    copy_box(*in.context, in, {to, to_pitch, 0}, {const_cast<void*>(from), from_pitch, 0}, {width, height, 1}, kind,
             wait);
  });
}

BoxEnd end_of(const cudaPitchedPtr& p, const cudaPos& at) {
  const std::size_t plane = times(p.pitch, p.ysize);
  return {address_in_box(p.ptr, {at.x, at.y, at.z}, p.pitch, plane), p.pitch, plane};
}

cudaError_t copy_3d(const char* function, const cudaMemcpy3DParms* given, cudaStream_t stream, bool per_thread,
                    bool wait) {
  return with_context(function, [&](Context& context) {
    require(given, cudaErrorInvalidValue, "no parameters");
    const cudaMemcpy3DParms p = without_arrays(*given);
    CUstream_st& in = context.any_stream(stream, per_thread);
    copy_box(*in.context, in, end_of(p.dstPtr, p.dstPos), end_of(p.srcPtr, p.srcPos),
             {p.extent.width, p.extent.height, p.extent.depth}, p.kind, wait);
  });
}

cudaError_t copy_peer(const char* function, void* to, int to_device, const void* from, int from_device,
                      std::size_t size, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    Process::get().context(to_device);
    Process::get().context(from_device);
    CUstream_st& in = context.any_stream(stream, per_thread);
    copy(*in.context, in, to, from, size, cudaMemcpyDeviceToDevice, false);
  });
}

cudaError_t fill_call(const char* function, void* p, int value, std::size_t size, cudaStream_t stream,
                      bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& in = context.any_stream(stream, per_thread);
    fill(*in.context, in, p, static_cast<unsigned char>(value), 1, size, false);
  });
}

cudaError_t fill_2d(const char* function, void* p, std::size_t pitch, int value, std::size_t width, std::size_t height,
                    cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(width <= pitch || height <= 1, cudaErrorInvalidPitchValue, "a row is wider than the pitch");
    CUstream_st& in = context.any_stream(stream, per_thread);
    fill_box(*in.context, in, {p, pitch, 0}, {width, height, 1}, static_cast<unsigned char>(value), 1, false);
  });
}

cudaError_t fill_3d(const char* function, cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream,
                    bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& in = context.any_stream(stream, per_thread);
    fill_box(*in.context, in, {p.ptr, p.pitch, times(p.pitch, p.ysize)}, {extent.width, extent.height, extent.depth},
             static_cast<unsigned char>(value), 1, false);
  });
}

}  // namespace

HEDDLE_CUDA_DS(cudaMemcpy, (void* to, const void* from, std::size_t size, cudaMemcpyKind kind), {
  HEDDLE_ARGUMENTS(to, from, size, kind);
  return copy_call(__func__, to, from, size, kind, nullptr, per_thread, waits(kind));
})
HEDDLE_CUDA_SZ(cudaMemcpyAsync,
               (void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(to, from, size, kind, stream);
                 return copy_call(__func__, to, from, size, kind, stream, per_thread, false);
               })
HEDDLE_CUDA_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                           std::size_t size) {
  HEDDLE_ARGUMENTS(to, to_device, from, from_device, size);
  return copy_peer(__func__, to, to_device, from, from_device, size, nullptr, false);
}
HEDDLE_CUDA_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                                std::size_t size, cudaStream_t stream) {
  HEDDLE_ARGUMENTS(to, to_device, from, from_device, size, stream);
  return copy_peer(__func__, to, to_device, from, from_device, size, stream, false);
}
HEDDLE_CUDA_DS(cudaMemcpy2D,
               (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, to_pitch, from, from_pitch, width, height, kind);
                 return copy_2d(__func__, to, to_pitch, from, from_pitch, width, height, kind, nullptr, per_thread,
                                waits(kind));
               })
HEDDLE_CUDA_SZ(cudaMemcpy2DAsync,
               (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, to_pitch, from, from_pitch, width, height, kind, stream);
                 return copy_2d(__func__, to, to_pitch, from, from_pitch, width, height, kind, stream, per_thread,
                                false);
               })
HEDDLE_CUDA_DS(cudaMemcpy3D, (const cudaMemcpy3DParms* p), {
  HEDDLE_ARGUMENTS(p);
  return copy_3d(__func__, p, nullptr, per_thread, !p || waits(p->kind));
})
HEDDLE_CUDA_SZ(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* p, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return copy_3d(__func__, p, stream, per_thread, false);
})
HEDDLE_CUDA_DS(cudaMemset, (void* p, int value, std::size_t size), {
  HEDDLE_ARGUMENTS(p, value, size);
  return fill_call(__func__, p, value, size, nullptr, per_thread);
})
HEDDLE_CUDA_SZ(cudaMemsetAsync, (void* p, int value, std::size_t size, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, value, size, stream);
  return fill_call(__func__, p, value, size, stream, per_thread);
})
HEDDLE_CUDA_DS(cudaMemset2D, (void* p, std::size_t pitch, int value, std::size_t width, std::size_t height), {
  HEDDLE_ARGUMENTS(p, pitch, value, width, height);
  return fill_2d(__func__, p, pitch, value, width, height, nullptr, per_thread);
})
HEDDLE_CUDA_SZ(cudaMemset2DAsync,
               (void* p, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(p, pitch, value, width, height, stream);
                 return fill_2d(__func__, p, pitch, value, width, height, stream, per_thread);
               })
HEDDLE_CUDA_DS(cudaMemset3D, (cudaPitchedPtr p, int value, cudaExtent extent), {
  HEDDLE_ARGUMENTS(p, value, extent);
  return fill_3d(__func__, p, value, extent, nullptr, per_thread);
})
HEDDLE_CUDA_SZ(cudaMemset3DAsync, (cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, value, extent, stream);
  return fill_3d(__func__, p, value, extent, stream, per_thread);
})
