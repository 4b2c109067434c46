#include "cuda_api/core/graph_memory.hpp"

#include <algorithm>
#include <map>

#include "base/thread_safety.hpp"
#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {
namespace {

struct Uses {
  heddle::base::Mutex mutex;
  std::map<int, GraphMemoryUse> by_device HEDDLE_GUARDED_BY(mutex);
};
Uses& uses() {
  static Uses* const made = new Uses;  // never taken down, see Process
  return *made;
}

void count(const Context& context, std::uint64_t GraphMemoryUse::* now, std::uint64_t GraphMemoryUse::* high,
           std::size_t bytes, bool more) {
  const base::Lock lock(uses().mutex);
  GraphMemoryUse& use = uses().by_device[context.number()];
  use.*now = more ? use.*now + bytes : use.*now - bytes;
  use.*high = std::max(use.*high, use.*now);
}

}  // namespace

GraphMemory::GraphMemory(Context& context, std::size_t size, std::uint64_t graph)
    : context_(context), size_(size), graph_(graph), memory_(context.device().allocate(size)) {
  count(context_, &GraphMemoryUse::reserved, &GraphMemoryUse::reserved_high, size_, true);
}

std::shared_ptr<GraphMemory> GraphMemory::make(Context& context, std::size_t size, std::uint64_t graph) {
  std::shared_ptr<GraphMemory> made(new GraphMemory(context, size, graph));
  Block block;
  block.address = made->address();
  block.size = size;
  block.device = context.number();
  block.span = made->memory_.span();
  block.of_graph = made;
  Process::get().memory.add(std::move(block));
  return made;
}

GraphMemory::~GraphMemory() {
  // After cudaDeviceReset the address may be somebody else's.
  const std::optional<Block> block = Process::get().memory.find(address());
  if (block && block->address == address() && block->is_of_graph()) Process::get().memory.take(address());
  count(context_, &GraphMemoryUse::reserved, &GraphMemoryUse::reserved_high, size_, false);
}

bool GraphMemory::is_live() const {
  const base::Lock lock(mutex_);
  return self_ != nullptr;
}

void GraphMemory::set_live(bool live) {
  std::shared_ptr<GraphMemory> self = live ? shared_from_this() : nullptr;
  const base::Lock lock(mutex_);
  if ((self_ != nullptr) == live) return;
  self_.swap(self);
  count(context_, &GraphMemoryUse::used, &GraphMemoryUse::used_high, size_, live);
}

void GraphMemory::free_behind(heddle::Event end) {
  const base::Lock lock(mutex_);
  freed_ = std::move(end);
}

void GraphMemory::wait_for_free(heddle::Queue& queue) {
  const base::Lock lock(mutex_);
  if (freed_) queue.wait(*freed_);
  freed_.reset();
}

GraphMemoryUse graph_memory_use(const Context& context) {
  const base::Lock lock(uses().mutex);
  return uses().by_device[context.number()];
}

void reset_graph_memory_high(const Context& context, bool used) {
  const base::Lock lock(uses().mutex);
  GraphMemoryUse& use = uses().by_device[context.number()];
  if (used)
    use.used_high = use.used;
  else
    use.reserved_high = use.reserved;
}

}  // namespace heddle::cuda_api
