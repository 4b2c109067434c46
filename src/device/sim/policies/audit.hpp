// What must hold for every policy after each cycle (Dynamic Warp Formation, DH3; Simultaneous Branch and Warp
// Interweaving, SH3). Tests ask for it (SimOptions::audit): it looks at every thread of a block.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

// One object for each block and cycle.
class PolicyAudit {
 public:
  explicit PolicyAudit(const machine::Block& block) : block_(block), held_(block.threads.size()) {}

  // The policy has the thread in a group, on its way to one, or in a list of those that wait. Exited threads do not
  // count. Throws internal if it has it twice.
  void holds(const machine::Thread& thread);
  void holds(const machine::LaneThreads& threads, LaneMask lanes);
  // The groups that can issue: their threads are runnable, at the group's place, and in no other group.
  void groups(std::span<IssueGroup* const> groups);
  // Throws internal unless it is so.
  static void require(bool is_so, std::string_view rule);
  // Every thread that has not exited is held. Throws internal.
  void finish() const;

 private:
  const machine::Block& block_;
  std::vector<char> held_;  // by thread
};

}  // namespace heddle::device::sim
