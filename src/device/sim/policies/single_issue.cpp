// issue=single: one instruction.
#include "device/sim/policies/issue.hpp"

namespace heddle::device::sim {
namespace {

class SingleIssue final : public IssuePolicy {
 public:
  bool another(const IssueGroup&, unsigned) const override { return false; }
};

}  // namespace

std::unique_ptr<IssuePolicy> make_single_issue() { return std::make_unique<SingleIssue>(); }

}  // namespace heddle::device::sim
