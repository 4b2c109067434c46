// IssuePolicy: how many instructions of the warp that a scheduler has chosen issue in its turn.
#pragma once

#include <memory>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

class IssuePolicy {
 public:
  virtual ~IssuePolicy() = default;
  // Whether another instruction of the group may issue in the turn in which `issued` have: one that depends on none of
  // them, and whose pipe is free.
  virtual bool another(const IssueGroup& group, unsigned issued) const = 0;
};

std::unique_ptr<IssuePolicy> make_single_issue();
std::unique_ptr<IssuePolicy> make_dual_issue();

}  // namespace heddle::device::sim
