// The groups among which each scheduler of an SM chooses.
#include <algorithm>
#include <array>
#include <utility>

#include "device/sim/sm.hpp"

namespace heddle::device::sim {

// Gives new groups of the block what is the SM's in them, and puts all into the schedulers' pools.
void Sm::pool_groups(BlockContext& block, Cycle not_before) {
  for (IssueGroup* group : block.divergence->groups()) {
    if (group->block && !group->formed) continue;
    if (!group->block) {
      group->block = &block;
      group->age = next_age_++;
      group->not_before = not_before;
    }
    group->slot = block.warps[group->warp].slot;
    evaluate(*group);
  }
  if (!interweave_) {
    for (IssuePool& pool : block.pools) pool.begin();
    for (IssueGroup* group : block.divergence->groups()) block.pools[pool_of(group->slot)].put(*group);
    for (IssuePool& pool : block.pools) pool.end();
  }
  pools_changed();
}

// Blocks have come, gone or given way, or groups of one have changed: what can issue now is not known.
void Sm::pools_changed() {
  for (Scheduler& scheduler : schedulers_) scheduler.wake = now_;
  for (auto& all : all_groups_) all.clear();
  if (interweave_) list_contexts();
}

// All groups of active blocks that a scheduler has, by block.
std::span<IssueGroup* const> Sm::groups_of(unsigned scheduler) {
  const unsigned pool = pool_of(scheduler);
  std::vector<IssueGroup*>& all = all_groups_[pool];
  if (!all.empty()) return all;
  for (const auto& block : blocks_) {
    if (!block->active) continue;
    const auto groups = block->pools[pool].groups();
    all.insert(all.end(), groups.begin(), groups.end());
  }
  return all;
}

// Why none of a scheduler's groups can issue while units are free.
SlotUse Sm::wait_of(unsigned pool) const {
  unsigned waits = 0;  // a bit of each kind
  for (const auto& block : blocks_) {
    if (!block->active) continue;
    for (const IssuePool::Entry& entry : block->pools[pool].entries()) waits |= 1u << static_cast<unsigned>(entry.wait);
  }
  const auto any = [&](Wait wait) { return (waits >> static_cast<unsigned>(wait) & 1) != 0; };
  return any(Wait::result)    ? SlotUse::result
         : any(Wait::control) ? SlotUse::control
         : any(Wait::memory)  ? SlotUse::memory
         : any(Wait::barrier) ? SlotUse::barrier
                              : SlotUse::idle;
}

void Sm::find_starving() {
  starving_until_ = now_ + patience;
  starving_ = nullptr;
  if (!std::exchange(was_full_, false)) return;
  for (const auto& block : blocks_) {
    if (!block->active) continue;
    for (const IssueGroup* const group : block->divergence->groups()) {
      const bool wants = group->block && group->mask != 0 && group->op && group->op->pipe == PipeClass::lsu;
      if (!wants || group->ready > now_ || now_ - group->ready < patience) continue;
      if (!starving_ || group->ready < starving_->ready) starving_ = group;
    }
  }
}

// The starving group, if it is in the pool and can issue now.
IssueGroup* Sm::starving_in(unsigned pool, unsigned scheduler) const {
  if (queue_.full()) return nullptr;
  for (const auto& block : blocks_) {
    if (!block->active) continue;
    const auto groups = block->pools[pool].groups();
    const auto found = std::find(groups.begin(), groups.end(), starving_);
    if (found == groups.end()) continue;
    IssueGroup& one = **found;
    const bool is_free = pipes_.free_at(pipes_.choose(*one.op, scheduler, now_), scheduler) <= now_;
    return one.ready <= now_ && is_free && operands_.free_at() <= now_ ? &one : nullptr;
  }
  return nullptr;
}

// Finds the group that issues now, when another one can, and why none can. Null: none.
IssueGroup* Sm::choose(unsigned number) {
  Scheduler& scheduler = schedulers_[number];
  const unsigned pool_number = pool_of(number);
  if (starving_)
    if (IssueGroup* const one = starving_in(pool_number, number)) return one;
  // When units are free is the same for all groups that want them. Unknown until the first of them asks.
  constexpr Cycle unknown = never - 1;
  std::array<Cycle, IssuePool::unit_kinds> free_at;
  free_at.fill(unknown);
  Cycle wake = never;
  bool pipeline = false;
  IssueGroup* first = nullptr;
  std::uint64_t rank = 0;  // of the first one
  ready_.clear();
  for (const auto& block : blocks_) {
    if (!block->active) continue;
    const IssuePool& pool = block->pools[pool_number];
    IssueGroup* const* group = pool.groups().data();
    for (const IssuePool::Entry& entry : pool.entries()) {
      IssueGroup* const one = *group++;
      if (entry.ready > now_) {
        wake = std::min(wake, entry.ready);
        continue;
      }
      Cycle& free = free_at[entry.units];
      if (free == unknown) free = pipe_free(*one->op, number);
      if (free > now_) {
        pipeline = true;
        wake = std::min(wake, free);
      } else if (order_ == SchedulerOrder::own) {
        ready_.push_back(one);
      } else if (!first || entry.rank < rank || (entry.rank == rank && one->age < first->age)) {
        first = one;
        rank = entry.rank;
      }
    }
  }
  scheduler.wake = wake;
  if (!ready_.empty()) first = scheduler.policy->pick(ready_);
  scheduler.use = pipeline || first ? SlotUse::pipeline : wait_of(pool_number);
  return first;
}

}  // namespace heddle::device::sim
