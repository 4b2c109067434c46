// WarpSchedPolicy: which of the groups that can issue does so.
#pragma once

#include <memory>
#include <span>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

// Which groups come first, for policies whose order is that of a number of each group. Equal ones come by age.
enum class SchedulerOrder : std::uint8_t {
  own,             // none of these: pick() is asked
  by_age,          // the smallest age
  by_instruction,  // the instruction that its warp has had for longest
};

// One object for each scheduler of each SM.
class WarpSchedPolicy {
 public:
  virtual ~WarpSchedPolicy() = default;
  // Chooses one of `ready`, of which there is at least one. Does not change the policy: the same call gives the same
  // choice until issued() is called.
  virtual IssueGroup* pick(std::span<IssueGroup* const> ready) const = 0;
  // The group issues now.
  virtual void issued(const IssueGroup& group) = 0;
  // Whether the policy wants to know of groups that cannot issue: then look() is called before pick(), with all of the
  // scheduler's groups, `ready` among them.
  virtual bool looks() const { return false; }
  virtual void look(std::span<IssueGroup* const> /*all*/) {}
  // Where it is not `own`, the first one in this order is what pick() would choose, and need not be asked for: the SM
  // has seen all groups then. Slots that share a cycle have their own rules, and take "the oldest" from it.
  virtual SchedulerOrder order() const { return SchedulerOrder::own; }
};

std::unique_ptr<WarpSchedPolicy> make_loose_round_robin();
std::unique_ptr<WarpSchedPolicy> make_greedy_then_oldest();
std::unique_ptr<WarpSchedPolicy> make_two_level();
std::unique_ptr<WarpSchedPolicy> make_oldest_first();
std::unique_ptr<WarpSchedPolicy> make_oldest_instruction();

}  // namespace heddle::device::sim
