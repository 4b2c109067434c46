// scheduler=gto: the warp that issued last as long as it can, then the oldest.
#include <algorithm>

#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {
namespace {

class GreedyThenOldest final : public WarpSchedPolicy {
 public:
  IssueGroup* pick(std::span<IssueGroup* const> ready) const override {
    const auto last = std::find_if(ready.begin(), ready.end(), [&](const IssueGroup* g) { return g->age == last_; });
    if (last != ready.end()) return *last;
    return *std::min_element(ready.begin(), ready.end(),
                             [](const IssueGroup* a, const IssueGroup* b) { return a->age < b->age; });
  }
  void issued(const IssueGroup& group) override { last_ = group.age; }

 private:
  std::uint64_t last_ = ~std::uint64_t{0};
};

}  // namespace

std::unique_ptr<WarpSchedPolicy> make_greedy_then_oldest() { return std::make_unique<GreedyThenOldest>(); }

}  // namespace heddle::device::sim
