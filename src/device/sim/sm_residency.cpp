// Blocks that give way to others while they wait for memory (Virtual Thread, section 2.5).
#include <algorithm>

#include "device/sim/policies/virtual_thread/occupancy.hpp"
#include "device/sim/sm.hpp"

namespace heddle::device::sim {

// The block takes part in the rotation; returns whether it is active at once.
void Sm::join_rotation(BlockContext& block) {
  if (!rotation_) return;
  const auto warps = static_cast<unsigned>(block.warps.size());
  const BlockStateSize context{options_.number("context-entries"), options_.number("context-scale")};
  block.id = next_block_id_++;
  block.active = rotation_->add(block.id, block.work.needs.threads, block.work.needs.warps,
                                context.cycles(warps, options_.number("context-bits")),
                                block.work.needs.registers) == BlockState::active;
  if (block.active) take_rows(block);
  block.changed = true;
}

// Whether all warps of the block wait for memory. Those that wait for other threads count with one that does.
bool Sm::waits_for_memory(BlockContext& block) const {
  const bool literal = options_.is("swap", "literal");
  bool memory = false;
  for (const IssueGroup* group : block.divergence->groups()) {
    if (group->wait == Wait::end) continue;
    if (group->wait == Wait::memory && group->ready == never) {
      memory = true;
      continue;
    }
    if (group->wait != Wait::barrier || literal) return false;
  }
  return memory;
}

// Whether the block's threads only repeat what they did: what they wait for may be a block that is not active. One
// whose threads have all exited waits for its stores.
bool Sm::repeats(const BlockContext& block) const {
  if (!watches_ || block.spins.empty()) return false;
  bool any = false;
  for (const machine::Thread& thread : block.block.threads) {
    if (thread.state != machine::ThreadState::runnable) continue;
    if (!block.spins[thread.linear].repeats_in(watch_epoch_)) return false;
    any = true;
  }
  return any;
}

// Of the register file, if the block gives way now.
unsigned Sm::registers_kept(const BlockContext& block) {
  const BlockNeeds& needs = block.work.needs;
  if (!residency_->keeps_live_registers()) return needs.registers;
  LiveRegisters& live = block.work.timing.live_registers();
  const unsigned each = needs.registers / std::max(needs.warps * machine::warp_size, 1u);
  unsigned words = 0;
  for (const machine::Warp& warp : block.block.warps) words += live.of(block.block, warp, each);
  return words * machine::warp_size;
}

// The end of a cycle.
void Sm::rotate() {
  const auto changed = [](const auto& block) { return block->changed; };
  if (now_ < rotate_at_ && !watches_ && !rotation_->is_moving() &&
      std::none_of(blocks_.begin(), blocks_.end(), changed))
    return;
  Cycle again = rotate_at_ > now_ ? rotate_at_ : never;  // others' results come then
  for (const auto& one : blocks_) {
    BlockContext& block = *one;
    if (!block.changed && now_ < rotate_at_ && !watches_) continue;
    block.changed = false;
    const BlockState state = rotation_->state(block.id);
    if (state == BlockState::active) {
      const bool stalled = waits_for_memory(block) || repeats(block);
      const bool begins = stalled && !rotation_->is_stalled(block.id);
      rotation_->stalled(block.id, stalled, begins ? registers_kept(block) : 0);
    }
    if (state != BlockState::pending) continue;
    const bool writes = block.pending_writes != 0 || block.last_write > now_;
    if (!writes)
      rotation_->pending(block.id, false);
    else if (block.pending_writes == 0)
      again = std::min(again, block.last_write);
  }
  const auto& changes = rotation_->step(now_, memory_.shared_free());
  for (const BlockRotation::Change& change : changes) apply(change);
  if (!changes.empty()) pools_changed();
  rotate_at_ = changes.empty() ? std::min(again, rotation_->next_event()) : now_ + 1;
}

void Sm::apply(const BlockRotation::Change& change) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b->id == change.id; });
  BlockContext& block = **found;
  block.changed = true;
  block.active = change.state == BlockState::active;
  if (change.state == BlockState::pending) {
    give_rows(block);
    statistics_.policy[PolicyEvent::moved_loads] += queue_.waiting_of(block);
    const std::size_t kept = options_.number("context-entries");
    for (std::uint32_t warp = 0; warp < block.warps.size(); ++warp) {
      const std::size_t depth = block.divergence->depth(warp);
      if (depth > kept) statistics_.policy[PolicyEvent::spilled_entries] += depth - kept;
    }
  }
  if (!block.active) return;
  PolicyAudit::require(block.pending_writes == 0 && block.last_write <= now_,
                       "a block comes back when all of its results are there");
  take_rows(block);
  for (IssueGroup* group : block.divergence->groups()) {
    group->not_before = std::max(group->not_before, now_ + 1);
    evaluate(*group);
  }
}

// Each warp of an active block has a row of the scoreboard, which knows the virtual warp (section 2.3).
void Sm::take_rows(BlockContext& block) {
  for (WarpContext& warp : block.warps) {
    warp.physical = static_cast<std::uint16_t>(physical_.take(warp.slot));
    warp.board = &physical_.board(warp.physical);
  }
}

// The rows are others' from now on: what of them is under way is counted (section 2.5).
void Sm::give_rows(BlockContext& block) {
  for (WarpContext& warp : block.warps) {
    const Scoreboard::Cleared under_way = physical_.give(warp.physical);
    block.pending_writes += under_way.accesses;
    block.last_write = std::max(block.last_write, under_way.last);
    warp.board = &warp.own_board;
  }
}

// A result of memory, which may be of a block that has given way: then the row is not its own (section 2.4).
void Sm::complete_write(const LoadStoreQueue::Done& done, Cycle ready) {
  BlockContext& block = *done.block;
  if (physical_.owned_by(done.physical, block.warps[done.warp].slot)) {
    physical_.board(done.physical).complete(done.access, ready);
    return;
  }
  if (!done.writes) return;  // a store: nothing waits for it
  ++statistics_.policy[PolicyEvent::late_writes];
  PolicyAudit::require(block.pending_writes != 0, "a late result is of a block that has given way");
  --block.pending_writes;
  block.last_write = std::max(block.last_write, ready);
  block.changed = true;
}

// An instruction reads the registers of its own virtual warp.
void Sm::check_rows(const BlockContext& block, const WarpContext& warp) const {
  PolicyAudit::require(block.active, "only active blocks issue");
  PolicyAudit::require(physical_.registers_of(warp.physical) == warp.slot,
                       "registers are those of the virtual warp, not of the physical one");
}

}  // namespace heddle::device::sim
