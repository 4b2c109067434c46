// scheduler=oldest: the warp that has been on the SM for longest.
#include <algorithm>

#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {
namespace {

class OldestFirst final : public WarpSchedPolicy {
 public:
  IssueGroup* pick(std::span<IssueGroup* const> ready) const override {
    return *std::min_element(ready.begin(), ready.end(),
                             [](const IssueGroup* a, const IssueGroup* b) { return a->age < b->age; });
  }
  void issued(const IssueGroup&) override {}
  SchedulerOrder order() const override { return SchedulerOrder::by_age; }
};

}  // namespace

std::unique_ptr<WarpSchedPolicy> make_oldest_first() { return std::make_unique<OldestFirst>(); }

}  // namespace heddle::device::sim
