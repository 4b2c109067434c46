#include "cuda_api/core/memory_table.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/thread_state.hpp"

namespace heddle::cuda_api {

void MemoryTable::add(Block block) {
  const ThreadState& thread = thread_state();
  block.owner = thread.contexts.empty() ? block.device : thread.contexts.back()->slot();
  put(std::move(block));
}

void MemoryTable::add_lasting(Block block) {
  block.owner = Block::no_owner;
  put(std::move(block));
}

void MemoryTable::put(Block block) {
  const std::unique_lock lock(mutex_);
  block.id = ++last_id_;
  const std::uint64_t address = block.address;
  blocks_.insert_or_assign(address, std::move(block));
}

std::optional<Block> MemoryTable::take(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return std::nullopt;
  Block block = std::move(found->second);
  blocks_.erase(found);
  return block;
}

std::optional<Block> MemoryTable::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(after)->second;
  if (address - block.address >= std::max<std::size_t>(block.size, 1)) return std::nullopt;
  return block;
}

void MemoryTable::for_each(const std::function<void(const Block&)>& f) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [address, block] : blocks_) f(block);
}

std::map<std::uint64_t, Block> MemoryTable::take_all(int owner) {
  const std::unique_lock lock(mutex_);
  std::map<std::uint64_t, Block> taken;
  for (auto it = blocks_.begin(); it != blocks_.end();) {
    const auto next = std::next(it);
    if (it->second.owner == owner) taken.insert(blocks_.extract(it));
    it = next;
  }
  return taken;
}

}  // namespace heddle::cuda_api
