// Arrays, and copies to, from and between them.
#include "cuda_api/core/array.hpp"

#include "cuda_api/core/texel_format.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

CUarray handle_of(cudaArray_const_t array) { return reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array)); }
CUmipmappedArray handle_of(cudaMipmappedArray_const_t array) {
  return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray_t>(array));
}

CUDA_ARRAY3D_DESCRIPTOR descriptor_of(const cudaChannelFormatDesc* desc, const cudaExtent& extent, unsigned flags) {
  require(desc, cudaErrorInvalidValue, "no description of the channels");
  const ChannelFormat format = channel_format(*desc);
  return {extent.width, extent.height, extent.depth, format.format, format.channels, flags};
}

// A rectangle of bytes, between an array and memory.
enum class Way { to_array, from_array };

cudaError_t copy_2d(const char* function, Way way, cudaArray_const_t array, std::size_t x, std::size_t y,
                    const void* memory, std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                    cudaStream_t stream, bool per_thread, bool wait) {
  return with_context(function, [&](Context& context) {
    require(width <= pitch || height <= 1, cudaErrorInvalidPitchValue, "a row is wider than the pitch");
    CUstream_st& in = context.any_stream(stream, per_thread);
    const heddle::BoxSize size{width, height, 1};
    const BoxEnd within = end_in(array_of(handle_of(array)), x, y, 0, size);
    const BoxEnd outside{const_cast<void*>(memory), pitch, 0};
    const bool to = way == Way::to_array;
    copy_box(*in.context, in, to ? within : outside, to ? outside : within, size, kind, wait);
  });
}

cudaError_t copy_bytes(const char* function, Way way, cudaArray_const_t array, std::size_t x, std::size_t y,
                       const void* memory, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream, bool per_thread,
                       bool wait) {
  return with_context(function, [&](Context& context) {
    CUstream_st& in = context.any_stream(stream, per_thread);
    void* const within = part_of(array_of(handle_of(array)), x, y, size);
    void* const outside = const_cast<void*>(memory);
    const bool to = way == Way::to_array;
    copy(*in.context, in, to ? within : outside, to ? outside : within, size, kind, wait);
  });
}

bool waits(cudaMemcpyKind kind) { return kind != cudaMemcpyDeviceToDevice; }

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaMalloc3DArray(cudaArray_t* made, const cudaChannelFormatDesc* desc, cudaExtent extent,
                                              unsigned flags) {
  HEDDLE_ARGUMENTS(made, desc, extent, flags);
  return with_context(__func__, [&](Context& context) {
    require(made, cudaErrorInvalidValue, "no place for the array");
    *made = reinterpret_cast<cudaArray_t>(make_array(context, descriptor_of(desc, extent, flags)));
  });
}
HEDDLE_CUDA_API cudaError_t cudaMallocArray(cudaArray_t* made, const cudaChannelFormatDesc* desc, std::size_t width,
                                            std::size_t height, unsigned flags) {
  HEDDLE_ARGUMENTS(made, desc, width, height, flags);
  return with_context(__func__, [&](Context& context) {
    require(made, cudaErrorInvalidValue, "no place for the array");
    *made = reinterpret_cast<cudaArray_t>(make_array(context, descriptor_of(desc, {width, height, 0}, flags)));
  });
}
HEDDLE_CUDA_API cudaError_t cudaFreeArray(cudaArray_t array) {
  HEDDLE_ARGUMENTS(array);
  return with_context(__func__, [&](Context&) { destroy_array(handle_of(array)); });
}
HEDDLE_CUDA_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* made, const cudaChannelFormatDesc* desc,
                                                     cudaExtent extent, unsigned levels, unsigned flags) {
  HEDDLE_ARGUMENTS(made, desc, extent, levels, flags);
  return with_context(__func__, [&](Context& context) {
    require(made, cudaErrorInvalidValue, "no place for the array");
    const CUmipmappedArray array = make_mipmapped_array(context, descriptor_of(desc, extent, flags), levels);
    *made = reinterpret_cast<cudaMipmappedArray_t>(array);
  });
}
HEDDLE_CUDA_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  HEDDLE_ARGUMENTS(array);
  return with_context(__func__, [&](Context&) { destroy_array(handle_of(array)); });
}
HEDDLE_CUDA_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* found, cudaMipmappedArray_const_t array,
                                                       unsigned level) {
  HEDDLE_ARGUMENTS(found, array, level);
  return with_context(__func__, [&](Context&) {
    require(found, cudaErrorInvalidValue, "no place for the level");
    *found = reinterpret_cast<cudaArray_t>(level_of(handle_of(array), level));
  });
}

HEDDLE_CUDA_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                                             cudaArray_t array) {
  HEDDLE_ARGUMENTS(desc, extent, flags, array);
  return with_context(__func__, [&](Context&) {
    const CUDA_ARRAY3D_DESCRIPTOR& d = array_of(handle_of(array)).descriptor;
    if (desc) *desc = channel_desc({d.Format, d.NumChannels});
    if (extent) *extent = {d.Width, d.Height, d.Depth};
    if (flags) *flags = d.Flags;
  });
}
HEDDLE_CUDA_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  HEDDLE_ARGUMENTS(desc, array);
  return with_context(__func__, [&](Context&) {
    require(desc, cudaErrorInvalidValue, "no place for the description");
    const CUDA_ARRAY3D_DESCRIPTOR& d = array_of(handle_of(array)).descriptor;
    *desc = channel_desc({d.Format, d.NumChannels});
  });
}

HEDDLE_CUDA_DS(cudaMemcpy2DToArray,
               (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, x, y, from, pitch, width, height, kind);
                 return copy_2d(__func__, Way::to_array, to, x, y, from, pitch, width, height, kind, nullptr,
                                per_thread, waits(kind));
               })
HEDDLE_CUDA_SZ(cudaMemcpy2DToArrayAsync,
               (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, x, y, from, pitch, width, height, kind, stream);
                 return copy_2d(__func__, Way::to_array, to, x, y, from, pitch, width, height, kind, stream, per_thread,
                                false);
               })
HEDDLE_CUDA_DS(cudaMemcpy2DFromArray,
               (void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width,
                std::size_t height, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, pitch, from, x, y, width, height, kind);
                 return copy_2d(__func__, Way::from_array, from, x, y, to, pitch, width, height, kind, nullptr,
                                per_thread, waits(kind));
               })
HEDDLE_CUDA_SZ(cudaMemcpy2DFromArrayAsync,
               (void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width,
                std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, pitch, from, x, y, width, height, kind, stream);
                 return copy_2d(__func__, Way::from_array, from, x, y, to, pitch, width, height, kind, stream,
                                per_thread, false);
               })
HEDDLE_CUDA_DS(cudaMemcpy2DArrayToArray,
               (cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                std::size_t from_y, std::size_t width, std::size_t height, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, to_x, to_y, from, from_x, from_y, width, height, kind);
                 return with_context(__func__, [&](Context& context) {
                   const heddle::BoxSize size{width, height, 1};
                   copy_box(context, context.any_stream(nullptr, per_thread),
                            end_in(array_of(handle_of(to)), to_x, to_y, 0, size),
                            end_in(array_of(handle_of(from)), from_x, from_y, 0, size), size, kind, false);
                 });
               })

// As CUDA had them until version 12, without a pitch.
HEDDLE_CUDA_DS(cudaMemcpyToArray,
               (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t size, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, x, y, from, size, kind);
                 return copy_bytes(__func__, Way::to_array, to, x, y, from, size, kind, nullptr, per_thread,
                                   waits(kind));
               })
HEDDLE_CUDA_SZ(cudaMemcpyToArrayAsync,
               (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t size, cudaMemcpyKind kind,
                cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, x, y, from, size, kind, stream);
                 return copy_bytes(__func__, Way::to_array, to, x, y, from, size, kind, stream, per_thread, false);
               })
HEDDLE_CUDA_DS(cudaMemcpyFromArray,
               (void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t size, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, from, x, y, size, kind);
                 return copy_bytes(__func__, Way::from_array, from, x, y, to, size, kind, nullptr, per_thread,
                                   waits(kind));
               })
HEDDLE_CUDA_SZ(cudaMemcpyFromArrayAsync,
               (void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t size, cudaMemcpyKind kind,
                cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, from, x, y, size, kind, stream);
                 return copy_bytes(__func__, Way::from_array, from, x, y, to, size, kind, stream, per_thread, false);
               })
HEDDLE_CUDA_DS(cudaMemcpyArrayToArray,
               (cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                std::size_t from_y, std::size_t size, cudaMemcpyKind kind),
               {
                 HEDDLE_ARGUMENTS(to, to_x, to_y, from, from_x, from_y, size, kind);
                 return with_context(__func__, [&](Context& context) {
                   copy(context, context.any_stream(nullptr, per_thread),
                        part_of(array_of(handle_of(to)), to_x, to_y, size),
                        part_of(array_of(handle_of(from)), from_x, from_y, size), size, kind, false);
                 });
               })
