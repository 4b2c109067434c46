// scheduler=oldest-instruction: the instruction that has been in its warp's buffer for longest (Simultaneous Branch and
// Warp Interweaving, section 2.1).
#include <algorithm>

#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {
namespace {

// An instruction is in the buffer from the cycle on in which its warp is done with the one before it.
class OldestInstruction final : public WarpSchedPolicy {
 public:
  IssueGroup* pick(std::span<IssueGroup* const> ready) const override {
    return *std::min_element(ready.begin(), ready.end(), [](const IssueGroup* a, const IssueGroup* b) {
      return a->not_before != b->not_before ? a->not_before < b->not_before : a->age < b->age;
    });
  }
  void issued(const IssueGroup&) override {}
  SchedulerOrder order() const override { return SchedulerOrder::by_instruction; }
};

}  // namespace

std::unique_ptr<WarpSchedPolicy> make_oldest_instruction() { return std::make_unique<OldestInstruction>(); }

}  // namespace heddle::device::sim
