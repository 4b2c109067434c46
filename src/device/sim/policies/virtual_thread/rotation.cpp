#include "device/sim/policies/virtual_thread/rotation.hpp"

#include <algorithm>

#include "device/machine/block.hpp"

namespace heddle::device::sim {

BlockRotation::Block& BlockRotation::find(Id id) {
  return *std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.id == id; });
}

// Cycles in which registers are moved: one of a warp in each.
Cycle BlockRotation::moves(unsigned registers) const {
  return limits_.registers == 0 ? 0 : (registers + machine::warp_size - 1) / machine::warp_size;
}

bool BlockRotation::fits(const Block& block) const {
  return active_ + 1 <= limits_.blocks && threads_ + block.threads <= limits_.threads &&
         warps_ + block.warps <= limits_.warps &&
         (limits_.registers == 0 || held_ - block.kept + block.registers <= limits_.registers);
}

// Whether there are registers for `in` when `out` has left all but what it keeps.
bool BlockRotation::can_exchange(const Block& out, const Block& in) const {
  return limits_.registers == 0 || held_ - out.registers + out.kept - in.kept + in.registers <= limits_.registers;
}

void BlockRotation::count(const Block& block, bool in) {
  active_ += in ? 1 : -1u;
  threads_ += in ? block.threads : -block.threads;
  warps_ += in ? block.warps : -block.warps;
  held_ += in ? block.registers - block.kept : block.kept - block.registers;
}

BlockState BlockRotation::add(Id id, unsigned threads, unsigned warps, Cycle context, unsigned registers) {
  blocks_.push_back({id, threads, warps, context, BlockState::ready, false, 0, registers, 0});
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
  if (block.state == BlockState::restoring) --restoring_;
  held_ -= block.kept;
  std::erase(marked_, id);
  std::erase(ready_, id);
  std::erase_if(blocks_, [&](const Block& one) { return one.id == id; });
}

void BlockRotation::stalled(Id id, bool is, unsigned keeps) {
  Block& block = find(id);
  if (block.stalled == is) return;
  block.stalled = is;
  if (is) block.kept = keeps;
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

void BlockRotation::restore(Block& block) {
  count(block, true);
  block.state = BlockState::restoring;
  ++restoring_;
  block.left = block.context + moves(block.kept) + evacuation_;
  evacuation_ = 0;
  counts_[PolicyEvent::context_cycles] += block.left;
}

// One context after the other: the one that began first.
void BlockRotation::move_contexts(Cycle now, Cycle port_free) {
  Cycle time = now > moves_from_ ? now - moves_from_ : 0;
  const bool any = std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) {
    return block.state == BlockState::restoring && block.left != 0;
  });
  if (any) counts_[PolicyEvent::context_waits] += now - moved_until_ - time;
  moved_until_ = now;
  for (Block& block : blocks_) {
    if (block.state != BlockState::restoring) continue;
    const Cycle part = std::min(time, block.left);
    block.left -= part;
    time -= part;
  }
  moves_from_ = std::max(now, port_free);
}

const std::vector<BlockRotation::Change>& BlockRotation::step(Cycle now, Cycle port_free) {
  changes_.clear();
  move_contexts(now, port_free);
  while (!ready_.empty()) {
    Block& in = find(ready_.front());
    if (!fits(in)) {
      if (marked_.empty()) break;
      Block& out = find(marked_.front());
      if (!can_exchange(out, in)) break;
      marked_.pop_front();
      out.stalled = false;
      out.state = BlockState::pending;
      evacuation_ += moves(out.kept);
      count(out, false);
      ++counts_[PolicyEvent::swaps_out];
      counts_[PolicyEvent::context_cycles] += out.context;
      changes_.push_back({out.id, out.state});
      continue;
    }
    ready_.pop_front();
    restore(in);
    changes_.push_back({in.id, in.state});
  }
  for (Block& block : blocks_) {
    if (block.state != BlockState::restoring || block.left != 0) continue;
    block.state = BlockState::active;
    --restoring_;
    ++counts_[PolicyEvent::swaps_in];
    changes_.push_back({block.id, block.state});
  }
  return changes_;
}

Cycle BlockRotation::next_event() const {
  Cycle next = never;
  for (const Block& block : blocks_)
    if (block.state == BlockState::restoring) next = std::min(next, moves_from_ + block.left);
  return next;
}

}  // namespace heddle::device::sim
