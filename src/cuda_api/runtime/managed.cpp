// Hints of where managed memory is to be. The host and the devices that have it share one memory: there is nothing to
// move, but arguments are checked, and hints are kept for who asks, for whole allocations. Signatures differ between
// the versions of CUDA: compiled for each.
#include <algorithm>
#include <cstring>

#include "cuda_api/abi/memory.hpp"
#include "cuda_api/core/memory_table.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

constexpr int the_host = cudaCpuDeviceId, nowhere = cudaInvalidDeviceId;

// The block that the range is in, for as long as the result lives.
std::shared_ptr<MemoryHints> hints_of(const void* p, std::size_t count) {
  const auto at = reinterpret_cast<std::uint64_t>(p);
  const std::optional<Block> block = Process::get().memory.find(at);
  require(p && count > 0 && block && block->hints && count <= block->size - (at - block->address),
          cudaErrorInvalidValue, "this is no managed memory, or more than there is");
  return block->hints;
}

void check_place(int device) {
  if (device != the_host) Process::get().context(device);
}

int place_of(const abi::MemLocation& location) {
  switch (location.type) {
    case abi::MemLocation::device: return location.id;
    case abi::MemLocation::host:
    case abi::MemLocation::host_numa:
    case abi::MemLocation::host_numa_current: return the_host;
    default: throw Failure(cudaErrorInvalidValue, "this is no place of memory");
  }
}

void advise(const void* p, std::size_t count, int advice, int device) {
  const std::shared_ptr<MemoryHints> hints = hints_of(p, count);
  if (advice >= cudaMemAdviseSetPreferredLocation) check_place(device);
  const heddle::base::Lock lock(hints->mutex);
  switch (advice) {
    case cudaMemAdviseSetReadMostly: hints->mostly_read = true; break;
    case cudaMemAdviseUnsetReadMostly: hints->mostly_read = false; break;
    case cudaMemAdviseSetPreferredLocation: hints->preferred = device; break;
    case cudaMemAdviseUnsetPreferredLocation: hints->preferred = nowhere; break;
    case cudaMemAdviseSetAccessedBy:
      if (std::find(hints->accessed_by.begin(), hints->accessed_by.end(), device) == hints->accessed_by.end())
        hints->accessed_by.push_back(device);
      break;
    case cudaMemAdviseUnsetAccessedBy: std::erase(hints->accessed_by, device); break;
    default: throw Failure(cudaErrorInvalidValue, std::to_string(advice) + " is no advice");
  }
}

void prefetch(Context& context, const void* p, std::size_t count, int device, cudaStream_t stream, bool per_thread) {
  const std::shared_ptr<MemoryHints> hints = hints_of(p, count);
  check_place(device);
  context.any_stream(stream, per_thread);
  const heddle::base::Lock lock(hints->mutex);
  hints->prefetched = device;
}

void answer(const MemoryHints& hints, void* data, std::size_t size, int attribute) HEDDLE_REQUIRES(hints.mutex) {
  enum : int {
    mostly = 1,
    preferred,
    accessed,
    prefetched,
    preferred_type,
    preferred_id,
    prefetched_type,
    prefetched_id
  };
  auto* const values = static_cast<int*>(data);
  require(values && size > 0 && size % sizeof(int) == 0 && (attribute == accessed || size == sizeof(int)),
          cudaErrorInvalidValue, "answers are integers of 4 bytes");
  const auto type = [](int place) {
    return place == nowhere    ? abi::MemLocation::none
           : place == the_host ? abi::MemLocation::host
                               : abi::MemLocation::device;
  };
  switch (attribute) {
    case mostly: *values = hints.mostly_read; break;
    case preferred:
    case preferred_id: *values = hints.preferred; break;
    case prefetched:
    case prefetched_id: *values = hints.prefetched; break;
    case preferred_type: *values = type(hints.preferred); break;
    case prefetched_type: *values = type(hints.prefetched); break;
    case accessed:
      for (std::size_t i = 0; i < size / sizeof(int); ++i)
        values[i] = i < hints.accessed_by.size() ? hints.accessed_by[i] : nowhere;
      break;
    default: throw Failure(cudaErrorInvalidValue, std::to_string(attribute) + " is no attribute of a range");
  }
}

[[maybe_unused]] cudaError_t advise_at(const char* function, const void* p, std::size_t count, int advice,
                                       const abi::MemLocation& at) {
  return with_context(function, [&](Context&) {
    const bool somewhere = advice >= cudaMemAdviseSetPreferredLocation &&
                           (advice != cudaMemAdviseUnsetPreferredLocation || at.type != abi::MemLocation::none);
    advise(p, count, advice, somewhere ? place_of(at) : the_host);
  });
}

[[maybe_unused]] cudaError_t prefetch_at(const char* function, const void* p, std::size_t count,
                                         const abi::MemLocation& at, unsigned flags, cudaStream_t stream,
                                         bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(flags == 0, cudaErrorInvalidValue, "unknown flags");
    prefetch(context, p, count, place_of(at), stream, per_thread);
  });
}

cudaError_t attach(const char* function, cudaStream_t stream, void* p, std::size_t size, unsigned flags,
                   bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle,
            cudaErrorInvalidValue, "memory is attached globally, to the host, or to one stream");
    context.any_stream(stream, per_thread);
    const auto at = reinterpret_cast<std::uint64_t>(p);
    const std::optional<Block> block = Process::get().memory.find(at);
    const bool known = block && size <= block->size - (at - block->address);
    // Memory that is pageable may be attached where kernels reach it.
    require(p && (known || context.info().host_memory), cudaErrorInvalidValue, "this is no managed memory");
  });
}

}  // namespace

#if HEDDLE_CUDART_MAJOR >= 13
HEDDLE_CUDA_API cudaError_t cudaMemAdvise(const void* p, std::size_t count, int advice, abi::MemLocation at) {
  HEDDLE_ARGUMENTS(p, count, advice, at);
  return advise_at(__func__, p, count, advice, at);
}
HEDDLE_CUDA_SZ(cudaMemPrefetchAsync,
               (const void* p, std::size_t count, abi::MemLocation at, unsigned flags, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(p, count, at, flags, stream);
                 return prefetch_at(__func__, p, count, at, flags, stream, per_thread);
               })
#else
HEDDLE_CUDA_API cudaError_t cudaMemAdvise(const void* p, std::size_t count, int advice, int device) {
  HEDDLE_ARGUMENTS(p, count, advice, device);
  return with_context(__func__, [&](Context&) { advise(p, count, advice, device); });
}
HEDDLE_CUDA_SZ(cudaMemPrefetchAsync, (const void* p, std::size_t count, int device, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, count, device, stream);
  return with_context(__func__, [&](Context& context) { prefetch(context, p, count, device, stream, per_thread); });
})
#endif
#if HEDDLE_CUDART_MAJOR == 12
HEDDLE_CUDA_API cudaError_t cudaMemAdvise_v2(const void* p, std::size_t count, int advice, abi::MemLocation at) {
  HEDDLE_ARGUMENTS(p, count, advice, at);
  return advise_at(__func__, p, count, advice, at);
}
HEDDLE_CUDA_SZ(cudaMemPrefetchAsync_v2,
               (const void* p, std::size_t count, abi::MemLocation at, unsigned flags, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(p, count, at, flags, stream);
                 return prefetch_at(__func__, p, count, at, flags, stream, per_thread);
               })
#endif

HEDDLE_CUDA_API cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t size, int attribute, const void* p,
                                                     std::size_t count) {
  HEDDLE_ARGUMENTS(data, size, attribute, p, count);
  return with_context(__func__, [&](Context&) {
    const std::shared_ptr<MemoryHints> hints = hints_of(p, count);
    const heddle::base::Lock lock(hints->mutex);
    answer(*hints, data, size, attribute);
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* sizes, int* attributes,
                                                      std::size_t number, const void* p, std::size_t count) {
  HEDDLE_ARGUMENTS(data, sizes, attributes, number, p, count);
  return with_context(__func__, [&](Context&) {
    require(data && sizes && attributes && number > 0, cudaErrorInvalidValue, "no attributes are asked for");
    const std::shared_ptr<MemoryHints> hints = hints_of(p, count);
    const heddle::base::Lock lock(hints->mutex);
    for (std::size_t i = 0; i < number; ++i) answer(*hints, data[i], sizes[i], attributes[i]);
  });
}
HEDDLE_CUDA_SZ(cudaStreamAttachMemAsync, (cudaStream_t stream, void* p, std::size_t size, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, size, flags);
  return attach(__func__, stream, p, size, flags, per_thread);
})
