// scheduler=lrr: the warps in turn; one that cannot issue is left out.
#include <algorithm>

#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {
namespace {

class LooseRoundRobin final : public WarpSchedPolicy {
 public:
  IssueGroup* pick(std::span<IssueGroup* const> ready) const override {
    // The distance from the warp that issued last; parts of one warp by age.
    const auto before = [&](const IssueGroup* a, const IssueGroup* b) {
      const std::uint32_t of_a = a->slot - last_ - 1, of_b = b->slot - last_ - 1;
      return of_a != of_b ? of_a < of_b : a->age < b->age;
    };
    return *std::min_element(ready.begin(), ready.end(), before);
  }
  void issued(const IssueGroup& group) override { last_ = group.slot; }

 private:
  std::uint32_t last_ = ~std::uint32_t{0};
};

}  // namespace

std::unique_ptr<WarpSchedPolicy> make_loose_round_robin() { return std::make_unique<LooseRoundRobin>(); }

}  // namespace heddle::device::sim
