// divergence=its: independent thread scheduling, convergence barriers for each warp.
#include <vector>

#include "device/sim/policies/convergence/barriers.hpp"
#include "device/sim/policies/divergence.hpp"

namespace heddle::device::sim {
namespace {

class Convergence final : public DivergencePolicy {
 public:
  explicit Convergence(const DivergenceContext& context) : block_(context.block) {
    groups_.resize(block_.warps.size());
    warps_.reserve(block_.warps.size());
    for (std::uint32_t i = 0; i < block_.warps.size(); ++i) {
      const machine::Warp& warp = block_.warps[i];
      const LaneMask all = warp.count == machine::warp_size ? ~LaneMask{0} : (LaneMask{1} << warp.count) - 1;
      warps_.emplace_back(warp.lanes, all, context.timing, context.counts);
      groups_[i].threads = &warp.lanes;
      groups_[i].warp = i;
      list_.push_back(&groups_[i]);
      show(i);
    }
  }

  std::span<IssueGroup* const> groups() override { return list_; }

  bool retire(IssueGroup& group, const machine::Effects& effects) override {
    ConvergenceBarriers& warp = warps_[group.warp];
    const bool ordinary = effects.operation != nullptr && (effects.waiting | effects.branched | effects.called |
                                                           effects.returned | effects.exited) == 0;
    if (ordinary)
      warp.retire_to(group.at.pc + 1);
    else
      warp.retire(effects.branched);
    show(group.warp);
    return false;
  }

  bool resume(std::uint32_t warp, Cycle) override {
    warps_[warp].resume();
    show(warp);
    return false;
  }

  bool yield(IssueGroup& group) override {
    if (warps_[group.warp].yield()) show(group.warp);
    return false;
  }

  std::size_t depth(std::uint32_t warp) const override {
    return warps_[warp].splits().size() + warps_[warp].barriers().size();
  }

  void audit(PolicyAudit& audit) const override {
    for (std::size_t i = 0; i < warps_.size(); ++i) {
      const ConvergenceBarriers& warp = warps_[i];
      for (const auto& split : warp.splits()) audit.holds(block_.warps[i].lanes, split.mask);
      for (const LaneMask lanes : warp.waiting()) audit.holds(block_.warps[i].lanes, lanes);
      for (const auto& barrier : warp.barriers()) {
        audit.holds(block_.warps[i].lanes, barrier.arrived);
        audit.require((barrier.arrived & ~barrier.members) == 0, "only members wait at a convergence barrier");
      }
    }
  }

 private:
  void show(std::uint32_t warp) {
    const ConvergenceBarriers::Split* const current = warps_[warp].current();
    groups_[warp].mask = current ? current->mask : 0;
    if (current) groups_[warp].at = current->at;
  }

  machine::Block& block_;
  std::vector<IssueGroup> groups_;  // by warp
  std::vector<ConvergenceBarriers> warps_;
  std::vector<IssueGroup*> list_;
};

}  // namespace

std::unique_ptr<DivergencePolicy> make_convergence(const DivergenceContext& context) {
  return std::make_unique<Convergence>(context);
}

}  // namespace heddle::device::sim
