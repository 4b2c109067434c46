// Allocation in the order of streams, and the pools that it is from.
#include "cuda_api/core/device_pools.hpp"

#include "cuda_api/abi/memory.hpp"
#include "cuda_api/core/allocation.hpp"
#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/graph_memory.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

enum : int { follow_events = 1, opportunistic, internal, threshold, reserved, reserved_high, used, used_high };
constexpr int read_write = 3, pinned = 1;

CUmemPoolHandle_st& pool_of(cudaMemPool_t pool) {
  if (!is_pool(pool)) throw Failure(cudaErrorInvalidValue, "the pool was not made, or was destroyed");
  return *pool;
}

// In a stream that captures, a node; otherwise nothing, and false.
bool capture_allocation(CUstream_st& stream, void** p, std::size_t size) {
  return capture(stream, [&] {
    Context& context = *stream.context;
    AllocateCommand command;
    command.memory = GraphMemory::make(context, size, stream.capture->graph->id);
    *p = reinterpret_cast<void*>(command.memory->address());
    command.parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    command.parameters.poolProps.location = {cudaMemLocationTypeDevice, context.number()};
    command.parameters.bytesize = size;
    command.parameters.dptr = *p;
    return command;
  });
}

bool capture_free(CUstream_st& stream, void* p) {
  return capture(stream, [&] {
    const std::optional<Block> block = Process::get().memory.find(reinterpret_cast<std::uint64_t>(p));
    const std::shared_ptr<GraphMemory> memory = block ? block->of_graph.lock() : nullptr;
    require(memory && block->address == memory->address(), cudaErrorInvalidValue,
            "only memory of a graph can be freed in a stream that captures");
    return free_command(memory);
  });
}

cudaError_t allocate_async(const char* function, void** p, std::size_t size, cudaMemPool_t pool, bool from_pool,
                           cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    CUstream_st& in = context.any_stream(stream, per_thread);
    if (size > 0 && capture_allocation(in, p, size)) return;
    CUmemPoolHandle_st& from = from_pool ? pool_of(pool) : current_pool(*in.context);
    *p = allocate_behind(*from.context, in, size, from);
  });
}

cudaError_t free_async(const char* function, void* p, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& in = context.any_stream(stream, per_thread);
    if (p && !capture_free(in, p)) release_behind(in, p);
  });
}

Context& device_of(Process& process, const abi::MemLocation& location) {
  if (location.type == abi::MemLocation::host || location.type == abi::MemLocation::host_numa ||
      location.type == abi::MemLocation::host_numa_current)
    not_supported("a pool of the host's memory");
  require(location.type == abi::MemLocation::device, cudaErrorInvalidValue, "this is no place of memory");
  return process.context(location.id);
}

void check_type(int type) {
  constexpr int managed = 2;
  if (type == managed) not_supported("a pool of managed memory");
  require(type == pinned, cudaErrorInvalidValue, "this is no kind of memory");
}

}  // namespace

HEDDLE_CUDA_SZ(cudaMallocAsync, (void** p, std::size_t size, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, size, stream);
  return allocate_async(__func__, p, size, nullptr, false, stream, per_thread);
})
HEDDLE_CUDA_SZ(cudaMallocFromPoolAsync, (void** p, std::size_t size, cudaMemPool_t pool, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, size, pool, stream);
  return allocate_async(__func__, p, size, pool, true, stream, per_thread);
})
HEDDLE_CUDA_SZ(cudaFreeAsync, (void* p, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return free_async(__func__, p, stream, per_thread);
})

HEDDLE_CUDA_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  HEDDLE_ARGUMENTS(pool, device);
  return guarded(__func__, [&] {
    require(pool, cudaErrorInvalidValue, "no place for the pool");
    *pool = &default_pool(Process::get().context(device));
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  HEDDLE_ARGUMENTS(pool, device);
  return guarded(__func__, [&] {
    require(pool, cudaErrorInvalidValue, "no place for the pool");
    *pool = &current_pool(Process::get().context(device));
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  HEDDLE_ARGUMENTS(device, pool);
  return guarded(__func__, [&] {
    Context& context = Process::get().context(device);
    require(pool_of(pool).context == &context, cudaErrorInvalidValue, "the pool is of another device");
    set_current_pool(context, *pool);
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, abi::MemLocation* location, int type) {
  HEDDLE_ARGUMENTS(pool, location, type);
  return guarded(__func__, [&] {
    require(pool && location, cudaErrorInvalidValue, "no place for the pool, or no location");
    check_type(type);
    *pool = &default_pool(device_of(Process::get(), *location));
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, abi::MemLocation* location, int type) {
  HEDDLE_ARGUMENTS(pool, location, type);
  return guarded(__func__, [&] {
    require(pool && location, cudaErrorInvalidValue, "no place for the pool, or no location");
    check_type(type);
    *pool = &current_pool(device_of(Process::get(), *location));
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemSetMemPool(abi::MemLocation* location, int type, cudaMemPool_t pool) {
  HEDDLE_ARGUMENTS(location, type, pool);
  return guarded(__func__, [&] {
    require(location, cudaErrorInvalidValue, "no location");
    check_type(type);
    Context& context = device_of(Process::get(), *location);
    require(pool_of(pool).context == &context, cudaErrorInvalidValue, "the pool is of another device");
    set_current_pool(context, *pool);
  });
}

HEDDLE_CUDA_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const abi::MemPoolProps* properties) {
  HEDDLE_ARGUMENTS(pool, properties);
  return guarded(__func__, [&] {
    require(pool && properties, cudaErrorInvalidValue, "no place for the pool, or no properties");
    check_type(properties->allocation_type);
    if (properties->handle_types != 0) not_supported("a pool that processes share");
    *pool = &make_pool(device_of(Process::get(), properties->location), properties->most);
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  HEDDLE_ARGUMENTS(pool);
  return guarded(__func__, [&] {
    CUmemPoolHandle_st& ended = pool_of(pool);
    destroy_pool(ended);
    ended.context->trim(ended, 0);
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep) {
  HEDDLE_ARGUMENTS(pool, keep);
  return guarded(__func__, [&] { pool_of(pool).context->trim(*pool, keep); });
}

HEDDLE_CUDA_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int number, void* value) {
  HEDDLE_ARGUMENTS(pool, number, value);
  return guarded(__func__, [&] {
    const CUmemPoolHandle_st& asked = pool_of(pool);
    require(value, cudaErrorInvalidValue, "no place for the value");
    const auto say = [&](std::uint64_t is) { *static_cast<std::uint64_t*>(value) = is; };
    switch (number) {
      case follow_events:
      case opportunistic:
      case internal: *static_cast<int*>(value) = asked.reuse[number - follow_events]; break;
      case threshold: say(asked.keep); break;
      case reserved: say(asked.used + asked.freed); break;
      case reserved_high: say(asked.all_high); break;
      case used: say(asked.used); break;
      case used_high: say(asked.used_high); break;
      default: throw Failure(cudaErrorInvalidValue, std::to_string(number) + " is no attribute of a pool");
    }
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int number, void* value) {
  HEDDLE_ARGUMENTS(pool, number, value);
  return guarded(__func__, [&] {
    CUmemPoolHandle_st& set = pool_of(pool);
    require(value, cudaErrorInvalidValue, "no value");
    const std::uint64_t given = number < threshold ? 0 : *static_cast<std::uint64_t*>(value);
    switch (number) {
      case follow_events:
      case opportunistic:
      case internal: set.reuse[number - follow_events] = *static_cast<int*>(value); break;
      case threshold: set.keep = given; break;
      case reserved_high:
      case used_high:
        require(given == 0, cudaErrorInvalidValue, "the high marks can be set to 0 only");
        if (number == used_high)
          set.used_high = set.used.load();
        else
          set.all_high = set.used + set.freed;
        break;
      default:
        throw Failure(cudaErrorInvalidValue, std::to_string(number) + " is no attribute of a pool that can be set");
    }
  });
}

// The device itself reaches its pools, others do not.
HEDDLE_CUDA_API cudaError_t cudaMemPoolGetAccess(int* flags, cudaMemPool_t pool, abi::MemLocation* location) {
  HEDDLE_ARGUMENTS(flags, pool, location);
  return guarded(__func__, [&] {
    require(flags && location, cudaErrorInvalidValue, "no place for the flags, or no location");
    const Context& context = device_of(Process::get(), *location);
    *flags = pool_of(pool).context == &context ? read_write : 0;
  });
}
HEDDLE_CUDA_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const abi::MemAccess* list, std::size_t count) {
  HEDDLE_ARGUMENTS(pool, list, count);
  return guarded(__func__, [&] {
    require(list || count == 0, cudaErrorInvalidValue, "no list");
    for (std::size_t i = 0; i < count; ++i) {
      const bool own = pool_of(pool).context == &device_of(Process::get(), list[i].location);
      require(!own || list[i].flags == read_write, cudaErrorInvalidValue, "a device must reach its own pools");
      require(own || list[i].flags == 0, cudaErrorPeerAccessUnsupported,
              "kernels do not reach the memory of other devices");
    }
  });
}
