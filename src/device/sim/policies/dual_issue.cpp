// issue=dual: two, as from compute capability 2.1 on.
#include "device/sim/policies/issue.hpp"

namespace heddle::device::sim {
namespace {

class DualIssue final : public IssuePolicy {
 public:
  bool another(const IssueGroup&, unsigned issued) const override { return issued < 2; }
};

}  // namespace

std::unique_ptr<IssuePolicy> make_dual_issue() { return std::make_unique<DualIssue>(); }

}  // namespace heddle::device::sim
