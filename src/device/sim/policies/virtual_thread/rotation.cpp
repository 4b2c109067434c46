#include "device/sim/policies/virtual_thread/rotation.hpp"

#include <algorithm>

namespace heddle::device::sim {

BlockRotation::Block& BlockRotation::find(Id id) {
  return *std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.id == id; });
}

bool BlockRotation::fits(const Block& block) const {
  return active_ + 1 <= limits_.blocks && threads_ + block.threads <= limits_.threads &&
         warps_ + block.warps <= limits_.warps;
}

void BlockRotation::count(const Block& block, bool in) {
  active_ += in ? 1 : -1u;
  threads_ += in ? block.threads : -block.threads;
  warps_ += in ? block.warps : -block.warps;
}

BlockState BlockRotation::add(Id id, unsigned threads, unsigned warps, Cycle context) {
  blocks_.push_back({id, threads, warps, context, BlockState::ready, false, 0});
  Block& block = blocks_.back();
  if (ready_.empty() && fits(block)) {
    block.state = BlockState::active;
    count(block, true);
  } else {
    ready_.push_back(id);
  }
  return block.state;
}

void BlockRotation::remove(Id id) {
  const Block& block = find(id);
  if (block.state == BlockState::active || block.state == BlockState::restoring) count(block, false);
  std::erase(marked_, id);
  std::erase(ready_, id);
  std::erase_if(blocks_, [&](const Block& one) { return one.id == id; });
}

void BlockRotation::stalled(Id id, bool is) {
  Block& block = find(id);
  if (block.stalled == is) return;
  block.stalled = is;
  if (is)
    marked_.push_back(id);
  else
    std::erase(marked_, id);
}

void BlockRotation::pending(Id id, bool is) {
  Block& block = find(id);
  if (block.state != BlockState::pending || is) return;
  block.state = BlockState::ready;
  ready_.push_back(id);
}

void BlockRotation::restore(Block& block, Cycle now) {
  count(block, true);
  block.state = BlockState::restoring;
  block.until = now + block.context;
  counts_[PolicyEvent::context_cycles] += block.context;
}

const std::vector<BlockRotation::Change>& BlockRotation::step(Cycle now) {
  changes_.clear();
  while (!ready_.empty()) {
    Block& in = find(ready_.front());
    if (!fits(in)) {
      if (marked_.empty()) break;
      Block& out = find(marked_.front());
      marked_.pop_front();
      out.stalled = false;
      out.state = BlockState::pending;
      count(out, false);
      ++counts_[PolicyEvent::swaps_out];
      counts_[PolicyEvent::context_cycles] += out.context;
      changes_.push_back({out.id, out.state});
      continue;
    }
    ready_.pop_front();
    restore(in, now);
    changes_.push_back({in.id, in.state});
  }
  for (Block& block : blocks_) {
    if (block.state != BlockState::restoring || block.until > now) continue;
    block.state = BlockState::active;
    ++counts_[PolicyEvent::swaps_in];
    changes_.push_back({block.id, block.state});
  }
  return changes_;
}

Cycle BlockRotation::next_event() const {
  Cycle next = never;
  for (const Block& block : blocks_)
    if (block.state == BlockState::restoring) next = std::min(next, block.until);
  return next;
}

}  // namespace heddle::device::sim
