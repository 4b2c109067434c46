#include "device/sim/policies/splits.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {

using machine::Thread;
using machine::ThreadState;

Splits::Splits(const DivergenceContext& context) : block_(context.block) {
  for (std::uint32_t i = 0; i < block_.warps.size(); ++i) {
    IssueGroup& group = add(i);
    for (std::uint32_t lane = 0; lane < block_.warps[i].count; ++lane) group.mask |= LaneMask{1} << lane;
    group.at = place_of(*block_.warps[i].lanes[0]);
  }
}

IssueGroup& Splits::add(std::uint32_t warp) {
  if (spare_.empty()) spare_.push_back(std::make_unique<IssueGroup>());
  groups_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  IssueGroup& group = *groups_.back();
  group = {};
  group.threads = &block_.warps[warp].lanes;
  group.warp = warp;
  list_.push_back(&group);
  return group;
}

void Splits::remove(IssueGroup& group) {
  const auto at = std::find(list_.begin(), list_.end(), &group) - list_.begin();
  list_.erase(list_.begin() + at);
  spare_.push_back(std::move(groups_[static_cast<std::size_t>(at)]));
  groups_.erase(groups_.begin() + at);
}

bool Splits::retire(IssueGroup& group, const machine::Effects& effects) {
  const bool ordinary =
      effects.operation != nullptr && (effects.waiting | effects.called | effects.returned | effects.exited) == 0;
  if (!ordinary || effects.branched != 0) return settle(group);
  ++group.at.pc;
  return false;
}

// Parts the group by its threads' places: the first part stays in it.
bool Splits::settle(IssueGroup& group) {
  const LaneMask all = group.mask;
  const std::uint32_t warp = group.warp;
  const machine::LaneThreads& threads = *group.threads;
  std::vector<IssueGroup*> parts;
  LaneMask waiting = 0;
  for (LaneMask lanes = all; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const Thread& thread = *threads[lane];
    if (thread.state == ThreadState::exited) continue;
    if (thread.state != ThreadState::runnable) {
      waiting |= LaneMask{1} << lane;
      continue;
    }
    const Place place = place_of(thread);
    auto same = std::find_if(parts.begin(), parts.end(), [&](const IssueGroup* part) { return part->at == place; });
    if (same == parts.end()) {
      IssueGroup& part = parts.empty() ? group : add(warp);
      part.at = place;
      part.mask = 0;
      same = parts.insert(parts.end(), &part);
    }
    (*same)->mask |= LaneMask{1} << lane;
  }
  if (waiting != 0) waiting_.push_back({warp, waiting});
  if (parts.empty()) remove(group);
  return parts.size() != 1;
}

bool Splits::resume(std::uint32_t warp, Cycle) {
  const machine::LaneThreads& threads = block_.warps[warp].lanes;
  std::vector<LaneMask> moved;
  for (Waiting& waiting : waiting_) {
    if (waiting.warp != warp) continue;
    LaneMask runnable = 0;
    for (LaneMask lanes = waiting.mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (threads[lane]->state == ThreadState::runnable) runnable |= LaneMask{1} << lane;
    }
    waiting.mask &= ~runnable;
    if (runnable != 0) moved.push_back(runnable);
  }
  std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.mask == 0; });
  for (const LaneMask lanes : moved) {
    IssueGroup& group = add(warp);
    group.mask = lanes;
    settle(group);
  }
  return !moved.empty();
}

void Splits::audit(PolicyAudit& audit) const {
  for (const IssueGroup* group : list_) audit.holds(*group->threads, group->mask);
  for (const Waiting& waiting : waiting_) audit.holds(block_.warps[waiting.warp].lanes, waiting.mask);
}

}  // namespace heddle::device::sim
