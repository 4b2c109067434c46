// issue=wide, sbi, swi and sbi+swi: which contexts of warps of 64 threads share a cycle.
#include "device/sim/policies/issue.hpp"

namespace heddle::device::sim {
namespace {

class Interweaved final : public IssuePolicy {
 public:
  explicit Interweaved(const Interweaving& how) : how_(how) {}
  bool another(const IssueGroup&, unsigned) const override { return false; }
  const Interweaving* interweaving() const override { return &how_; }

 private:
  const Interweaving how_;
};

// Simultaneous Branch and Warp Interweaving, table 2: instructions are delivered a cycle later.
constexpr unsigned delivery = 1;

}  // namespace

std::unique_ptr<IssuePolicy> make_wide_issue() { return std::make_unique<Interweaved>(Interweaving{}); }
std::unique_ptr<IssuePolicy> make_branch_interweaving() {
  return std::make_unique<Interweaved>(Interweaving{true, false, delivery});
}
std::unique_ptr<IssuePolicy> make_warp_interweaving() {
  return std::make_unique<Interweaved>(Interweaving{false, true, delivery});
}
std::unique_ptr<IssuePolicy> make_full_interweaving() {
  return std::make_unique<Interweaved>(Interweaving{true, true, delivery});
}

}  // namespace heddle::device::sim
