// IssuePolicy: how many instructions of the warp that a scheduler has chosen issue in its turn.
#pragma once

#include <memory>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

// Two slots of a cycle that share rows of units (Simultaneous Branch and Warp Interweaving, sections 2.4, 2.8, 2.9).
struct Interweaving {
  bool branches = false;  // the second slot may have the secondary context of the first one's warp (SBI)
  bool warps = false;     // it may have other warps' whose lanes are free; schedulers follow one another (SWI)
  unsigned delivery = 0;  // cycles from issue to the operands' read, beside the machine's
};

class IssuePolicy {
 public:
  virtual ~IssuePolicy() = default;
  // Whether another instruction of the group may issue in the turn in which `issued` have: one that depends on none of
  // them, and whose pipe is free.
  virtual bool another(const IssueGroup& group, unsigned issued) const = 0;
  // Null: each scheduler issues alone, warps of 32 threads. Else two issue together, warps of 64.
  virtual const Interweaving* interweaving() const { return nullptr; }
};

std::unique_ptr<IssuePolicy> make_single_issue();
std::unique_ptr<IssuePolicy> make_dual_issue();
std::unique_ptr<IssuePolicy> make_wide_issue();
std::unique_ptr<IssuePolicy> make_branch_interweaving();
std::unique_ptr<IssuePolicy> make_warp_interweaving();
std::unique_ptr<IssuePolicy> make_full_interweaving();

}  // namespace heddle::device::sim
