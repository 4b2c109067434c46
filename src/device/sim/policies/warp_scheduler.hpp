// WarpSchedPolicy: which of the groups that can issue does so.
#pragma once

#include <memory>
#include <span>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

// One object for each scheduler of each SM.
class WarpSchedPolicy {
 public:
  virtual ~WarpSchedPolicy() = default;
  // Chooses one of `ready`, of which there is at least one. Does not change the policy: the same call gives the same
  // choice until issued() is called.
  virtual IssueGroup* pick(std::span<IssueGroup* const> ready) const = 0;
  // The group issues now.
  virtual void issued(const IssueGroup& group) = 0;
  // Before pick(), where the policy wants to know of groups that cannot issue: all of the scheduler's, `ready` among
  // them.
  virtual void look(std::span<IssueGroup* const> /*all*/) {}
  // For slots that share a cycle, which have their own rules: "the oldest" is among instructions, not among warps.
  virtual bool by_instruction() const { return false; }
};

std::unique_ptr<WarpSchedPolicy> make_loose_round_robin();
std::unique_ptr<WarpSchedPolicy> make_greedy_then_oldest();
std::unique_ptr<WarpSchedPolicy> make_two_level();
std::unique_ptr<WarpSchedPolicy> make_oldest_first();
std::unique_ptr<WarpSchedPolicy> make_oldest_instruction();

}  // namespace heddle::device::sim
