// Many copies in one call. Signatures differ between CUDA 12 and 13: compiled for each.
#include "cuda_api/abi/memory.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/core/copy.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

// `failed`: where the number of the copy that was refused goes; null: nowhere.
cudaError_t copy_batch(const char* function, void* const* to, const void* const* from, const std::size_t* sizes,
                       std::size_t count, const abi::MemcpyAttributes* attributes, const std::size_t* firsts,
                       std::size_t kinds, std::size_t* failed, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    constexpr int as_stream = 1, any_time = 3;
    if (failed) *failed = SIZE_MAX;  // about none of them
    require(to && from && sizes && attributes && firsts && count > 0 && kinds > 0 && kinds <= count && firsts[0] == 0,
            cudaErrorInvalidValue, "no copies, or no attributes");
    for (std::size_t i = 0; i < kinds; ++i) {
      require(attributes[i].source_order >= as_stream && attributes[i].source_order <= any_time, cudaErrorInvalidValue,
              "a copy reads its source in an order that is none");
      require(i == 0 || (firsts[i] > firsts[i - 1] && firsts[i] < count), cudaErrorInvalidValue,
              "the copies of the attributes are not ascending");
    }
    CUstream_st& in = context.any_stream(stream, per_thread);
    require(&in != &in.context->stream(nullptr), cudaErrorInvalidValue, "batches of copies need a stream of their own");
    for (std::size_t i = 0; i < count; ++i) {
      if (failed) *failed = i;
      copy(*in.context, in, to[i], from[i], sizes[i], cudaMemcpyDefault, false);
    }
    if (failed) *failed = SIZE_MAX;
  });
}

BoxEnd end_of(const abi::Memcpy3DOperand& operand, const cudaExtent& extent) {
  constexpr int pointer = 1;
  if (operand.type != pointer) not_supported("a copy of an array (cudaArray_t)");
  const std::size_t row = operand.pointer.row != 0 ? operand.pointer.row : extent.width;
  const std::size_t height = operand.pointer.height != 0 ? operand.pointer.height : extent.height;
  return {operand.pointer.address, row, times(row, height)};
}

cudaError_t copy_boxes(const char* function, std::size_t count, const abi::Memcpy3DBatchOp* list, std::size_t* failed,
                       unsigned long long flags, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    if (failed) *failed = SIZE_MAX;
    require(list && count > 0 && flags == 0, cudaErrorInvalidValue, "no copies, or unknown flags");
    CUstream_st& in = context.any_stream(stream, per_thread);
    require(&in != &in.context->stream(nullptr), cudaErrorInvalidValue, "batches of copies need a stream of their own");
    for (std::size_t i = 0; i < count; ++i) {
      if (failed) *failed = i;
      const cudaExtent& extent = list[i].extent;
      copy_box(*in.context, in, end_of(list[i].destination, extent), end_of(list[i].source, extent),
               {extent.width, extent.height, extent.depth}, cudaMemcpyDefault, false);
    }
    if (failed) *failed = SIZE_MAX;
  });
}

}  // namespace

#if HEDDLE_CUDART_MAJOR >= 13
HEDDLE_CUDA_SZ(cudaMemcpyBatchAsync,
               (void* const* to, const void* const* from, const std::size_t* sizes, std::size_t count,
                abi::MemcpyAttributes* attributes, std::size_t* firsts, std::size_t kinds, cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, from, sizes, count, attributes, firsts, kinds, stream);
                 return copy_batch(__func__, to, from, sizes, count, attributes, firsts, kinds, nullptr, stream,
                                   per_thread);
               })
HEDDLE_CUDA_SZ(cudaMemcpy3DBatchAsync,
               (std::size_t count, abi::Memcpy3DBatchOp* list, unsigned long long flags, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(count, list, flags, stream);
                 return copy_boxes(__func__, count, list, nullptr, flags, stream, per_thread);
               })
#else
HEDDLE_CUDA_SZ(cudaMemcpyBatchAsync,
               (void** to, void** from, std::size_t* sizes, std::size_t count, abi::MemcpyAttributes* attributes,
                std::size_t* firsts, std::size_t kinds, std::size_t* failed, cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, from, sizes, count, attributes, firsts, kinds, failed, stream);
                 return copy_batch(__func__, to, from, sizes, count, attributes, firsts, kinds, failed, stream,
                                   per_thread);
               })
HEDDLE_CUDA_SZ(cudaMemcpy3DBatchAsync,
               (std::size_t count, abi::Memcpy3DBatchOp* list, std::size_t* failed, unsigned long long flags,
                cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(count, list, failed, flags, stream);
                 return copy_boxes(__func__, count, list, failed, flags, stream, per_thread);
               })
#endif
