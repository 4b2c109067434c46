// Allocation: of devices, of the host, pitched, managed, in stream order; and what an address is.
#include <algorithm>

#include "base/mapped_memory.hpp"
#include "cuda_api/core/allocation.hpp"
#include "cuda_api/core/capture.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

constexpr std::size_t pitch_bytes = 512;  // rows of pitched memory begin at multiples of it

std::uint64_t address(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

[[noreturn]] void too_large() { throw Failure(cudaErrorMemoryAllocation, "more bytes than an address can have"); }

std::size_t pitch_of(std::size_t width) {
  if (width > ~std::size_t{0} - pitch_bytes) too_large();
  return (width + pitch_bytes - 1) / pitch_bytes * pitch_bytes;
}

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t made = 0;
  if (__builtin_mul_overflow(a, b, &made)) too_large();
  return made;
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaMalloc(void** p, std::size_t size) {
  HEDDLE_ARGUMENTS(p, size);
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    *p = allocate(context, size, BlockKind::device);
  });
}

HEDDLE_CUDA_API cudaError_t cudaFree(void* p) {
  HEDDLE_ARGUMENTS(p);
  return with_context(__func__, [&](Context&) { release(p, false, "cudaFree"); });
}

HEDDLE_CUDA_API cudaError_t cudaMallocHost(void** p, std::size_t size) {
  HEDDLE_ARGUMENTS(p, size);
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    *p = allocate_host(context, size, cudaHostAllocDefault);
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostAlloc(void** p, std::size_t size, unsigned flags) {
  HEDDLE_ARGUMENTS(p, size, flags);
  return with_context(__func__, [&](Context& context) {
    constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    require(p && (flags & ~known) == 0, cudaErrorInvalidValue, "no place for the pointer, or unknown flags");
    *p = allocate_host(context, size, flags);
  });
}

HEDDLE_CUDA_API cudaError_t cudaFreeHost(void* p) {
  HEDDLE_ARGUMENTS(p);
  return with_context(__func__, [&](Context&) { release(p, true, "cudaFreeHost"); });
}

HEDDLE_CUDA_API cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
  HEDDLE_ARGUMENTS(p, pitch, width, height);
  return with_context(__func__, [&](Context& context) {
    require(p && pitch, cudaErrorInvalidValue, "no place for the pointer or the pitch");
    const std::size_t row = pitch_of(width);
    *p = allocate(context, product(row, height), BlockKind::device);
    *pitch = row;
  });
}

HEDDLE_CUDA_API cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
  HEDDLE_ARGUMENTS(p, extent);
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    const std::size_t pitch = pitch_of(extent.width);
    *p = {allocate(context, product(product(pitch, extent.height), extent.depth), BlockKind::device), pitch,
          extent.width, extent.height};
  });
}

// Where the host may use the device's memory, managed memory is nothing special.
HEDDLE_CUDA_API cudaError_t cudaMallocManaged(void** p, std::size_t size, unsigned flags) {
  HEDDLE_ARGUMENTS(p, size, flags);
  return with_context(__func__, [&](Context& context) {
    require(p && size > 0, cudaErrorInvalidValue, "no place for the pointer, or no bytes");
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost, cudaErrorInvalidValue,
            "managed memory is attached globally or to the host");
    if (!context.info().managed_memory)
      not_supported("managed memory (cudaMallocManaged) on " + context.info().id +
                    ", where it can bring down a GPU that others use,");
    *p = allocate(context, size, BlockKind::managed);
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostRegister(void* p, std::size_t size, unsigned flags) {
  HEDDLE_ARGUMENTS(p, size, flags);
  return with_context(__func__, [&](Context& context) {
    constexpr unsigned io_memory = 4;
    constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    require(p && size > 0, cudaErrorInvalidValue, "no memory to register");
    if (flags & io_memory) not_supported("registering memory of another device (cudaHostRegisterIoMemory)");
    require((flags & ~known) == 0, cudaErrorInvalidValue, "unknown flags");
    forbid_unsafe("cudaHostRegister");
    require(heddle::base::is_mapped(p, size), cudaErrorInvalidValue,
            "there is no memory at a part of these addresses, or it cannot be read");
    Block block;
    try {
      block.memory = context.device().register_host(p, size);
    } catch (const heddle::Error& error) {
      if (error.code() != heddle::ErrorCode::invalid_argument) throw;
      throw Failure(cudaErrorHostMemoryAlreadyRegistered, error.what());
    }
    block.address = address(p);
    block.size = size;
    block.kind = BlockKind::registered;
    block.device = context.number();
    block.span = heddle::MemorySpan::of_host(p, size);
    block.flags = flags;
    Process::get().memory.add(std::move(block));
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostUnregister(void* p) {
  HEDDLE_ARGUMENTS(p);
  return with_context(__func__, [&](Context&) {
    forbid_unsafe("cudaHostUnregister");
    const std::optional<Block> block = Process::get().memory.find(address(p));
    require(block && block->address == address(p) && block->kind == BlockKind::registered,
            cudaErrorHostMemoryNotRegistered, "the memory is not registered");
    for (int i = 0; i < Process::get().device_count(); ++i) Process::get().context(i).synchronize();
    Process::get().memory.take(address(p));
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  HEDDLE_ARGUMENTS(device, host, flags);
  return with_context(__func__, [&](Context&) {
    require(device && flags == 0, cudaErrorInvalidValue, "no place for the pointer, or unknown flags");
    const std::optional<Block> block = Process::get().memory.find(address(host));
    require(block && block->kind != BlockKind::device, cudaErrorInvalidValue,
            "the memory is not pinned memory of the host");
    *device = host;
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  HEDDLE_ARGUMENTS(flags, host);
  return with_context(__func__, [&](Context&) {
    const std::optional<Block> block = Process::get().memory.find(address(host));
    require(flags && block && block->on_host(), cudaErrorInvalidValue, "the memory is not pinned memory of the host");
    *flags = block->flags;
  });
}

HEDDLE_CUDA_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  HEDDLE_ARGUMENTS(free, total);
  return with_context(__func__, [&](Context& context) {
    if (total) *total = context.info().memory_bytes;
    if (!free) return;
    const std::uint64_t now = context.device().free_memory();
    *free = now - std::min(now, Process::get().virtual_memory.created_bytes(context.number()));
  });
}

HEDDLE_CUDA_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  HEDDLE_ARGUMENTS(attributes, p);
  return with_context(__func__, [&](Context&) {
    require(attributes, cudaErrorInvalidValue, "no place for the attributes");
    const std::optional<Block> block = Process::get().memory.find(address(p));
    void* const same = const_cast<void*>(p);
    if (!block) {
      *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, same};
    } else if (block->on_host()) {
      *attributes = {cudaMemoryTypeHost, block->device, same, same};
    } else if (block->kind == BlockKind::managed) {
      *attributes = {cudaMemoryTypeManaged, block->device, same, same};
    } else {
      *attributes = {cudaMemoryTypeDevice, block->device, same, nullptr};
    }
  });
}
