// scheduler=two-level: some warps are active and take turns. One that waits for memory makes room for another, so that
// not all reach their long waits at the same time.
#include <algorithm>
#include <vector>

#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::size_t active_warps = 8;

class TwoLevel final : public WarpSchedPolicy {
 public:
  bool looks() const override { return true; }
  void look(std::span<IssueGroup* const> all) override {
    const auto stays = [&](std::uint64_t age) {
      return std::any_of(all.begin(), all.end(), [&](const IssueGroup* g) {
        return g->age == age && g->mask != 0 && g->wait != Wait::memory && g->wait != Wait::barrier;
      });
    };
    std::erase_if(active_, [&](std::uint64_t age) { return !stays(age); });
    while (active_.size() < active_warps) {
      const IssueGroup* next = nullptr;
      for (const IssueGroup* group : all)
        if (stays(group->age) && !is_active(*group) && (!next || group->age < next->age)) next = group;
      if (!next) return;
      active_.push_back(next->age);
    }
  }
  IssueGroup* pick(std::span<IssueGroup* const> ready) const override {
    IssueGroup* best = ready.front();
    for (IssueGroup* group : ready)
      if (rank(*group) < rank(*best)) best = group;
    return best;
  }
  void issued(const IssueGroup& group) override {
    const auto at = std::find(active_.begin(), active_.end(), group.age);
    if (at != active_.end()) std::rotate(at, at + 1, active_.end());
  }

 private:
  bool is_active(const IssueGroup& group) const {
    return std::find(active_.begin(), active_.end(), group.age) != active_.end();
  }
  // Active warps first, the one that has waited for longest at their head; then the others by age.
  std::uint64_t rank(const IssueGroup& group) const {
    const auto at = std::find(active_.begin(), active_.end(), group.age);
    const auto place = static_cast<std::uint64_t>(at - active_.begin());
    return at == active_.end() ? active_warps + group.age : place;
  }
  std::vector<std::uint64_t> active_;  // ages
};

}  // namespace

std::unique_ptr<WarpSchedPolicy> make_two_level() { return std::make_unique<TwoLevel>(); }

}  // namespace heddle::device::sim
