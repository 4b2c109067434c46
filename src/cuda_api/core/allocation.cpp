#include "cuda_api/core/allocation.hpp"

#include <fmt/format.h>

#include "base/caller_place.hpp"
#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/graph_memory.hpp"
#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {
namespace {

std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

void* add(Context& context, std::size_t size, BlockKind kind, unsigned flags, heddle::Memory memory,
          CUmemPoolHandle_st* pool) {
  const bool host = kind == BlockKind::host;
  Block block;
  block.address = host ? address_of(memory.host()) : memory.address();
  block.size = size;
  block.kind = kind;
  block.device = context.number();
  block.span = host ? MemorySpan::of_host(memory.host(), size) : memory.span();
  block.flags = flags;
  block.memory = std::move(memory);
  if (Process::get().settings().check.leak) block.made_by = base::caller_place();
  if (kind == BlockKind::managed) block.memory.host();  // which the host may write at any time
  if (kind == BlockKind::managed) block.hints = std::make_shared<MemoryHints>();
  block.pool = pool;
  void* const made = reinterpret_cast<void*>(block.address);
  Process::get().memory.add(std::move(block));
  return made;
}

heddle::Memory allocate_some(Context& context, std::size_t size, bool pooled) {
  const auto some = [&] { return pooled ? context.device().allocate(size) : context.device().allocate_unpooled(size); };
  try {
    return some();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory || !context.free_waiting()) throw;
  }
  return some();
}

// Memory that a launch of a graph has allocated; the graph keeps it for its next launch.
std::shared_ptr<GraphMemory> free_of_graph(const Block& block) {
  std::shared_ptr<GraphMemory> memory = block.of_graph.lock();
  if (!memory || !memory->is_live())
    throw Failure(cudaErrorInvalidValue, "a free of memory that no launch of its graph has allocated");
  memory->set_live(false);
  return memory;
}

}  // namespace

void* allocate(Context& context, std::size_t size, BlockKind kind) {
  forbid_unsafe("an allocation");
  if (size == 0) return nullptr;
  return add(context, size, kind, 0, allocate_some(context, size, false), nullptr);
}

void* allocate_behind(Context& context, CUstream_st& stream, std::size_t size, CUmemPoolHandle_st& pool) {
  if (size == 0) return nullptr;
  if (pool.most != 0 && (size > pool.most || pool.used > pool.most - size))
    throw Failure(cudaErrorMemoryAllocation,
                  fmt::format("{} bytes more than the pool's {} are asked for", size, pool.most));
  std::optional<heddle::Memory> again = stream.context->take_again(stream, size, pool);
  void* const made =
      add(context, size, BlockKind::device, 0, again ? std::move(*again) : allocate_some(context, size, true), &pool);
  pool.take(size);
  return made;
}

void* allocate_host(Context& context, std::size_t size, unsigned flags) {
  forbid_unsafe("an allocation of pinned memory");
  if (size == 0) return nullptr;
  return add(context, size, BlockKind::host, flags, context.device().allocate_host(size), nullptr);
}

void release(void* p, bool of_host, const char* what) {
  forbid_unsafe(what);
  if (!p) return;
  Process& process = Process::get();
  std::optional<Block> block = process.memory.find(address_of(p));
  const bool fits = block && block->address == address_of(p) && (block->memory || block->is_of_graph()) &&
                    (of_host ? block->kind == BlockKind::host
                             : block->kind == BlockKind::device || block->kind == BlockKind::managed);
  if (!fits)
    throw Failure(cudaErrorInvalidValue, fmt::format("{} is not memory that {} can free{}", p, what,
                                                     block ? "" : ": it was not allocated, or was freed before"));
  // Memory of the host may be in use by all devices.
  for (int i = 0; i < process.device_count(); ++i)
    if (of_host || i == block->device) process.context(i).synchronize();
  if (block->is_of_graph()) {
    free_of_graph(*block);
    return;
  }
  block = process.memory.take(address_of(p));
  if (!block) throw Failure(cudaErrorInvalidValue, fmt::format("{} was freed by another thread", p));
  if (block->pool) block->pool->give(block->size);
}

void release_behind(CUstream_st& stream, void* p) {
  std::optional<Block> block = Process::get().memory.find(address_of(p));
  if (!block || block->address != address_of(p) || block->kind != BlockKind::device)
    throw Failure(cudaErrorInvalidValue, fmt::format("{} is not memory that cudaFreeAsync can free", p));
  if (block->is_of_graph()) {
    heddle::Event end = stream.context->device().untimed_event();
    const std::shared_ptr<GraphMemory> memory = free_of_graph(*block);
    stream.context->submit(stream, [&](heddle::Queue& queue) { queue.record(end); });
    memory->free_behind(end);
    stream.context->graph_lanes.keep_until(end, memory);
    return;
  }
  block = Process::get().memory.take(address_of(p));
  if (!block) throw Failure(cudaErrorInvalidValue, fmt::format("{} was freed by another thread", p));
  if (block->pool) block->pool->give(block->size);
  stream.context->free_behind(stream, std::move(block->memory), block->size, block->pool);
}

}  // namespace heddle::cuda_api
