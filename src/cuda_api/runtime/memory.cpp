// Allocation: of devices, of the host, pitched, managed, in stream order; and what an address is.
#include <fmt/format.h>

#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/graph_memory.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

constexpr std::size_t pitch_bytes = 512;  // rows of pitched memory begin at multiples of it

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }
std::uint64_t address(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

void* allocate(Context& context, std::size_t size, BlockKind kind) {
  forbid_unsafe("an allocation");
  if (size == 0) return nullptr;
  heddle::Memory memory = context.device().allocate(size);
  Block block;
  block.address = memory.address();
  block.size = size;
  block.kind = kind;
  block.device = context.number();
  block.span = memory.span();
  block.memory = std::move(memory);
  void* const made = pointer(block.address);
  context.process().memory.add(std::move(block));
  return made;
}

// Memory of the host that kernels reach: where the device's memory is the host's, that is what its own is.
void* allocate_host(Context& context, std::size_t size, unsigned flags) {
  forbid_unsafe("an allocation of pinned memory");
  if (size == 0) return nullptr;
  heddle::Memory memory = context.device().allocate_host(size);
  Block block;
  block.address = address(memory.host());
  block.size = size;
  block.kind = BlockKind::host;
  block.device = context.number();
  block.span = heddle::MemorySpan::of_host(memory.host(), size);
  block.flags = flags;
  block.memory = std::move(memory);
  void* const made = pointer(block.address);
  context.process().memory.add(std::move(block));
  return made;
}

// Memory that a launch of a graph has allocated; the graph keeps it for its next launch.
void free_of_graph(const Block& block) {
  const std::shared_ptr<GraphMemory> memory = block.of_graph.lock();
  require(memory && memory->is_live(), cudaErrorInvalidValue,
          "a free of memory that no launch of its graph has allocated");
  memory->set_live(false);
}

// What is in use must have run first: cudaFree waits for the device.
void release(Context& context, void* p, bool of_host, const char* what) {
  forbid_unsafe(what);
  if (!p) return;
  Process& process = context.process();
  const std::optional<Block> block = process.memory.find(address(p));
  const bool fits = block && block->address == address(p) &&
                    (of_host ? block->kind == BlockKind::host
                             : block->kind == BlockKind::device || block->kind == BlockKind::managed);
  if (!fits)
    throw Failure(cudaErrorInvalidValue, fmt::format("{} is not memory that {} can free{}", p, what,
                                                     block ? "" : ": it was not allocated, or was freed before"));
  process.context(block->device).synchronize();
  if (block->is_of_graph()) return free_of_graph(*block);
  process.memory.take(address(p));
}

// In a stream that captures, a node; otherwise nothing, and false.
bool capture_allocation(Context& context, CUstream_st& stream, void** p, std::size_t size) {
  return capture(stream, [&] {
    AllocateCommand command;
    command.memory = GraphMemory::make(context, size, stream.capture->graph->id);
    *p = pointer(command.memory->address());
    command.parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    command.parameters.poolProps.location = {cudaMemLocationTypeDevice, context.number()};
    command.parameters.bytesize = size;
    command.parameters.dptr = *p;
    return command;
  });
}

bool capture_free(CUstream_st& stream, const std::optional<Block>& block) {
  return capture(stream, [&] {
    const std::shared_ptr<GraphMemory> memory = block ? block->of_graph.lock() : nullptr;
    require(memory && block->address == memory->address(), cudaErrorInvalidValue,
            "only memory of a graph can be freed in a stream that captures");
    return free_command(memory);
  });
}

std::size_t pitch_of(std::size_t width) { return (width + pitch_bytes - 1) / pitch_bytes * pitch_bytes; }

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaMalloc(void** p, std::size_t size) {
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    *p = allocate(context, size, BlockKind::device);
  });
}

HEDDLE_CUDA_API cudaError_t cudaFree(void* p) {
  return with_context(__func__, [&](Context& context) { release(context, p, false, "cudaFree"); });
}

HEDDLE_CUDA_API cudaError_t cudaMallocHost(void** p, std::size_t size) {
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    *p = allocate_host(context, size, cudaHostAllocDefault);
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostAlloc(void** p, std::size_t size, unsigned flags) {
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    *p = allocate_host(context, size, flags);
  });
}

HEDDLE_CUDA_API cudaError_t cudaFreeHost(void* p) {
  return with_context(__func__, [&](Context& context) { release(context, p, true, "cudaFreeHost"); });
}

HEDDLE_CUDA_API cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
  return with_context(__func__, [&](Context& context) {
    require(p && pitch, cudaErrorInvalidValue, "no place for the pointer or the pitch");
    *pitch = pitch_of(width);
    *p = allocate(context, *pitch * height, BlockKind::device);
  });
}

HEDDLE_CUDA_API cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    const std::size_t pitch = pitch_of(extent.width);
    *p = {allocate(context, pitch * extent.height * extent.depth, BlockKind::device), pitch, extent.width,
          extent.height};
  });
}

// Where the device's memory is the host's, managed memory is nothing special.
HEDDLE_CUDA_API cudaError_t cudaMallocManaged(void** p, std::size_t size, unsigned flags) {
  return with_context(__func__, [&](Context& context) {
    require(p && size > 0, cudaErrorInvalidValue, "no place for the pointer, or no bytes");
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost, cudaErrorInvalidValue,
            "managed memory is attached globally or to the host");
    if (!context.info().host_memory)
      not_supported("managed memory (cudaMallocManaged) on " + context.info().id +
                    ", where it can bring down a GPU that others use,");
    *p = allocate(context, size, BlockKind::managed);
  });
}

HEDDLE_CUDA_API cudaError_t cudaMallocAsync(void** p, std::size_t size, cudaStream_t stream) {
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the pointer");
    CUstream_st& into = context.stream(stream);
    if (size > 0 && capture_allocation(context, into, p, size)) return;
    *p = allocate(context, size, BlockKind::device);
  });
}

HEDDLE_CUDA_API cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  return with_context(__func__, [&](Context& context) {
    if (!p) return;
    CUstream_st& behind = context.stream(stream);
    std::optional<Block> block = context.process().memory.find(address(p));
    if (capture_free(behind, block)) return;
    require(block && block->address == address(p) && block->kind == BlockKind::device, cudaErrorInvalidValue,
            "cudaFreeAsync of what is no memory of a device");
    if (block->is_of_graph()) {
      const std::shared_ptr<GraphMemory> memory = block->of_graph.lock();
      heddle::Event end = context.device().event();
      free_of_graph(*block);
      context.submit(behind, [&](heddle::Queue& queue) { queue.record(end); });
      memory->free_behind(end);
      context.graph_lanes.keep_until(end, memory);
      return;
    }
    block = context.process().memory.take(address(p));
    if (block) context.free_behind(behind, std::move(block->memory));
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostRegister(void* p, std::size_t size, unsigned flags) {
  return with_context(__func__, [&](Context& context) {
    require(p && size > 0, cudaErrorInvalidValue, "no memory to register");
    forbid_unsafe("cudaHostRegister");
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
    context.process().memory.add(std::move(block));
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostUnregister(void* p) {
  return with_context(__func__, [&](Context& context) {
    forbid_unsafe("cudaHostUnregister");
    const std::optional<Block> block = context.process().memory.find(address(p));
    require(block && block->address == address(p) && block->kind == BlockKind::registered,
            cudaErrorHostMemoryNotRegistered, "the memory is not registered");
    context.process().context(block->device).synchronize();
    context.process().memory.take(address(p));
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return with_context(__func__, [&](Context& context) {
    require(device && flags == 0, cudaErrorInvalidValue, "no place for the pointer, or flags that are none");
    const std::optional<Block> block = context.process().memory.find(address(host));
    require(block && block->kind != BlockKind::device, cudaErrorInvalidValue,
            "the memory is not pinned memory of the host");
    *device = host;
  });
}

HEDDLE_CUDA_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return with_context(__func__, [&](Context& context) {
    const std::optional<Block> block = context.process().memory.find(address(host));
    require(flags && block && block->on_host(), cudaErrorInvalidValue, "the memory is not pinned memory of the host");
    *flags = block->flags;
  });
}

HEDDLE_CUDA_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_context(__func__, [&](Context& context) {
    if (total) *total = context.info().memory_bytes;
    if (free) *free = context.device().free_memory();
  });
}

HEDDLE_CUDA_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  return with_context(__func__, [&](Context& context) {
    require(attributes, cudaErrorInvalidValue, "no place for the attributes");
    const std::optional<Block> block = context.process().memory.find(address(p));
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

// Hints, and nothing to do where there is one memory.
HEDDLE_CUDA_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return with_context(__func__, [&](Context& context) { context.stream(stream); });
}
