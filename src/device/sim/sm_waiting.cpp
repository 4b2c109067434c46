// Threads that wait for others: at barriers of the block and at operations of the warp.
#include <bit>

#include "device/sim/sm.hpp"

namespace heddle::device::sim {

using machine::Block;
using machine::Involves;
using machine::Thread;
using machine::ThreadState;

// Lanes of the group have come to a barrier or an operation of the warp.
void Sm::wait(IssueGroup& group) {
  BlockContext& block = *group.block;
  const Involves kind = effects_.operation->involves;
  if (kind == Involves::gathering) {
    gather(group);
    return;
  }
  for (LaneMask lanes = effects_.waiting; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    Thread& thread = *(*group.threads)[lane];
    if (kind == Involves::meeting) {
      thread.state = ThreadState::meeting;
      thread.meeting_mask = effects_.members[lane];
    } else if (block.core.arrive(block.block, thread, effects_.barrier[lane])) {
      block.core.release(block.block, effects_.barrier[lane].id);
      released_ = true;
    }
  }
}

// An operation without .sync: those of a warp take part that are at it together.
void Sm::gather(IssueGroup& group) {
  BlockContext& block = *group.block;
  if (!group.formed) {
    block.core.perform(block.block, *group.threads, effects_.waiting, met_);
    return;
  }
  for (const machine::Warp& warp : block.block.warps) {
    LaneMask members = 0;
    for (LaneMask lanes = effects_.waiting; lanes != 0; lanes &= lanes - 1) {
      const Thread& thread = *(*group.threads)[static_cast<unsigned>(std::countr_zero(lanes))];
      if (thread.linear - warp.first < warp.count) members |= LaneMask{1} << thread.lane();
    }
    if (members != 0) block.core.perform(block.block, warp.lanes, members, met_);
  }
}

// Operations of the warp whose members are all there.
void Sm::complete_meetings(IssueGroup& group) {
  if (!group.formed) {
    complete_meetings(group, group.warp);
    return;
  }
  LaneMask lanes = group.mask;
  while (lanes != 0) {
    const std::uint32_t warp =
        (*group.threads)[static_cast<unsigned>(std::countr_zero(lanes))]->linear / machine::warp_size;
    complete_meetings(group, warp);
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if ((*group.threads)[lane]->linear / machine::warp_size == warp) lanes &= ~(LaneMask{1} << lane);
    }
  }
}

void Sm::complete_meetings(const IssueGroup& group, std::uint32_t warp) {
  BlockContext& block = *group.block;
  const machine::LaneThreads& threads = block.block.warps[warp].lanes;
  for (unsigned lane = 0; lane < machine::warp_size; ++lane) {
    if (!threads[lane] || threads[lane]->state != ThreadState::meeting) continue;
    const LaneMask members = Block::met(threads, lane);
    if (members == 0) continue;
    block.core.perform(block.block, threads, members, met_);
    for (LaneMask lanes = members; lanes != 0; lanes &= lanes - 1)
      threads[static_cast<unsigned>(std::countr_zero(lanes))]->state = ThreadState::runnable;
    met_others_ |= group.formed || (members & ~group.mask) != 0;
  }
}

// Barriers that threads complete by exiting.
void Sm::complete_barriers(BlockContext& block) {
  for (unsigned id = 0; id < Block::barrier_count; ++id) {
    const machine::Barrier& barrier = block.block.barriers[id];
    if (!barrier.active || !machine::Core::is_complete(block.block, barrier)) continue;
    block.core.release(block.block, id);
    released_ = true;
  }
}

// After the policy has seen what the instruction did with its own group.
void Sm::resume_others(BlockContext& block, std::uint32_t warp) {
  const bool formed = block.divergence->forms_warps();
  if (met_others_ && !formed) resume(block, warp, now_ + 1);
  if (met_others_ && formed)
    for (std::uint32_t any = 0; any < block.warps.size(); ++any) resume(block, any, now_ + 1);
  if (!released_) return;
  for (std::uint32_t other = 0; other < block.warps.size(); ++other) resume(block, other, barrier_end());
}

void Sm::resume(BlockContext& block, std::uint32_t warp, Cycle not_before) {
  if (block.divergence->forms_warps()) {
    if (IssueGroup* const group = block.divergence->released(warp)) come_back(block, *group, not_before);
    return;
  }
  std::vector<IssueGroup*> waiting;
  for (IssueGroup* group : block.divergence->groups())
    if (group->warp == warp && group->mask == 0) waiting.push_back(group);
  if (block.divergence->resume(warp, not_before)) pool_groups(block, not_before);
  for (IssueGroup* group : waiting)
    if (group->mask != 0) group->not_before = std::max(group->not_before, not_before);
  evaluate_warp(block, warp);
}

}  // namespace heddle::device::sim
