// The groups of a block among which a scheduler chooses, and beside them what it asks of each of them in every turn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"
#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {

class IssuePool {
 public:
  // Of a group, as it was noted last.
  struct Entry {
    Cycle ready = 0;
    std::uint64_t rank = 0;  // the smallest first, where the order is not the scheduler's own
    Wait wait = Wait::none;
    std::uint8_t units = 0;  // groups with the same number want the same units
  };
  static constexpr std::size_t unit_kinds = std::size_t{2} * pipe_classes;

  explicit IssuePool(SchedulerOrder order) : order_(order) {}
  std::span<IssueGroup* const> groups() const { return groups_; }
  std::span<const Entry> entries() const { return entries_; }

  // Notes what has changed of a group, if it is in the pool.
  void note(const IssueGroup& group) {
    if (group.place < groups_.size() && groups_[group.place] == &group) entries_[group.place] = entry_of(group);
  }

  // Fills it anew: put() for each group in order, then end(). A group that keeps its place costs little.
  void begin() { filled_ = 0; }
  void put(IssueGroup& group) {
    const std::size_t place = filled_++;
    if (place == groups_.size()) {
      groups_.push_back(nullptr);
      entries_.emplace_back();
    }
    if (groups_[place] == &group && group.place == place) return;
    groups_[place] = &group;
    group.place = static_cast<std::uint32_t>(place);
    entries_[place] = entry_of(group);
  }
  void end() {
    groups_.resize(filled_);
    entries_.resize(filled_);
  }

 private:
  Entry entry_of(const IssueGroup& group) const {
    const std::uint64_t rank = order_ == SchedulerOrder::by_instruction ? group.not_before : group.age;
    const unsigned units = group.op ? static_cast<unsigned>(group.op->pipe) * 2 + (group.op->multiplies ? 1 : 0) : 0;
    return {group.ready, rank, group.wait, static_cast<std::uint8_t>(units)};
  }

  SchedulerOrder order_;
  std::vector<IssueGroup*> groups_;
  std::vector<Entry> entries_;
  std::size_t filled_ = 0;
};

}  // namespace heddle::device::sim
