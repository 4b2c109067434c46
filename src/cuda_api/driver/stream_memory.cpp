// Stream memory operations: a stream writes a word, or waits until a word has a value, which the host or another stream
// writes. The host does both for it, so the word must be in memory that the host reaches.
#include <atomic>
#include <type_traits>

#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

template <class T>
T* word_at(Context& context, CUdeviceptr p) {
  require(p != 0 && p % sizeof(T) == 0, cudaErrorInvalidValue, "the word's address is no multiple of its size");
  const std::optional<Block> block = Process::get().memory.find(p);
  require(block && sizeof(T) <= block->size - (p - block->address), cudaErrorInvalidValue,
          "the word is not in memory that was allocated or registered through CUDA");
  if (!context.info().host_memory && !block->on_host())
    not_supported(
        "writing words and waiting for them in a stream (cuStreamWaitValue, cuStreamWriteValue) in memory of " +
        context.info().id + ", where the host does not reach them,");
  return static_cast<T*>(pointer(p));
}

template <class T>
bool holds(T word, T value, unsigned condition) {
  switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ: return static_cast<std::make_signed_t<T>>(word - value) >= 0;  // cyclic
    case CU_STREAM_WAIT_VALUE_EQ: return word == value;
    case CU_STREAM_WAIT_VALUE_AND: return (word & value) != 0;
    default: return static_cast<T>(~(word | value)) != 0;
  }
}

template <class T>
void submit_wait(Context& context, CUstream_st& stream, CUdeviceptr p, T value, unsigned flags) {
  const unsigned condition = flags & ~unsigned{CU_STREAM_WAIT_VALUE_FLUSH};
  require(condition <= CU_STREAM_WAIT_VALUE_NOR, cudaErrorInvalidValue, "there is no such condition to wait for");
  T* const word = word_at<T>(context, p);
  context.submit(stream, [&](heddle::Queue& queue) {
    queue.wait_until(
        [=] { return holds(std::atomic_ref<T>(*word).load(std::memory_order_acquire), value, condition); });
  });
}

template <class T>
void submit_write(Context& context, CUstream_st& stream, CUdeviceptr p, T value, unsigned flags) {
  require((flags & ~unsigned{CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER}) == 0, cudaErrorInvalidValue,
          "unknown flags of a write");
  T* const word = word_at<T>(context, p);
  context.submit(stream, [&](heddle::Queue& queue) {
    queue.call([=] { std::atomic_ref<T>(*word).store(value, std::memory_order_release); });
  });
}

template <class T>
CUresult wait_value(const char* name, CUstream stream, CUdeviceptr p, T value, unsigned flags, bool per_thread) {
  return on_stream(name, stream, [&](Context& context) {
    submit_wait<T>(context, context.stream(stream, per_thread), p, value, flags);
  });
}

template <class T>
CUresult write_value(const char* name, CUstream stream, CUdeviceptr p, T value, unsigned flags, bool per_thread) {
  return on_stream(name, stream, [&](Context& context) {
    submit_write<T>(context, context.stream(stream, per_thread), p, value, flags);
  });
}

void submit_operation(Context& context, CUstream_st& stream, const CUstreamBatchMemOpParams& operation) {
  switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return submit_wait<std::uint32_t>(context, stream, operation.waitValue.address, operation.waitValue.value,
                                        operation.waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return submit_wait<cuuint64_t>(context, stream, operation.waitValue.address, operation.waitValue.value64,
                                     operation.waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return submit_write<std::uint32_t>(context, stream, operation.writeValue.address, operation.writeValue.value,
                                         operation.writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return submit_write<cuuint64_t>(context, stream, operation.writeValue.address, operation.writeValue.value64,
                                      operation.writeValue.flags);
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return;  // the order of a queue is more than that
    default: throw Failure(cudaErrorInvalidValue, "there is no such operation");
  }
}

CUresult batch(const char* name, CUstream stream, unsigned count, const CUstreamBatchMemOpParams* operations,
               unsigned flags, bool per_thread) {
  return on_stream(name, stream, [&](Context& context) {
    require(flags == 0 && (operations || count == 0), cudaErrorInvalidValue, "no operations, or unknown flags");
    CUstream_st& into = context.stream(stream, per_thread);
    for (unsigned i = 0; i < count; ++i) submit_operation(context, into, operations[i]);
  });
}

}  // namespace

// The first versions and those of CUDA 12 differ in what a device must support. The plain names are macros in the
// header.
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64
#undef cuStreamBatchMemOp
HEDDLE_DRIVER_SZ(cuStreamWaitValue32, (CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return wait_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWaitValue32_v2, (CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return wait_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWaitValue64, (CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return wait_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWaitValue64_v2, (CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return wait_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWriteValue32, (CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return write_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWriteValue32_v2, (CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return write_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWriteValue64, (CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return write_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamWriteValue64_v2, (CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, value, flags);
  return write_value(__func__, stream, p, value, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuStreamBatchMemOp,
                 (CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations, unsigned flags), {
                   HEDDLE_ARGUMENTS(stream, count, operations, flags);
                   return batch(__func__, stream, count, operations, flags, per_thread);
                 })
HEDDLE_DRIVER_SZ(cuStreamBatchMemOp_v2,
                 (CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations, unsigned flags), {
                   HEDDLE_ARGUMENTS(stream, count, operations, flags);
                   return batch(__func__, stream, count, operations, flags, per_thread);
                 })
