// divergence=pdom: one stack for each warp.
#include <vector>

#include "device/sim/policies/divergence.hpp"
#include "device/sim/policies/pdom_stack.hpp"

namespace heddle::device::sim {
namespace {

class Pdom final : public DivergencePolicy {
 public:
  explicit Pdom(const DivergenceContext& context) {
    machine::Block& block = context.block;
    groups_.resize(block.warps.size());
    stacks_.reserve(block.warps.size());
    for (std::uint32_t i = 0; i < block.warps.size(); ++i) {
      const machine::Warp& warp = block.warps[i];
      const LaneMask all = warp.count == machine::warp_size ? ~LaneMask{0} : (LaneMask{1} << warp.count) - 1;
      stacks_.emplace_back(warp.lanes, all, context.timing);
      groups_[i].threads = &warp.lanes;
      groups_[i].warp = i;
      list_.push_back(&groups_[i]);
      show(i);
    }
  }

  std::span<IssueGroup* const> groups() override { return list_; }

  bool retire(IssueGroup& group, const machine::Effects& effects) override {
    PdomStack& stack = stacks_[group.warp];
    const bool ordinary =
        effects.operation != nullptr && (effects.waiting | effects.called | effects.returned | effects.exited) == 0;
    if (ordinary && effects.branched == 0)
      stack.retire_to(group.at.pc + 1);
    else
      stack.retire(effects.branched, effects.exited);
    show(group.warp);
    return false;
  }

  bool resume(std::uint32_t warp, Cycle) override {
    stacks_[warp].resume();
    show(warp);
    return false;
  }

  std::size_t depth(std::uint32_t warp) const override { return stacks_[warp].entries().size(); }

  void audit(PolicyAudit& audit) const override {
    for (const IssueGroup& group : groups_) {
      LaneMask all = 0;
      for (const PdomStack::Entry& entry : stacks_[group.warp].entries()) all |= entry.mask;
      audit.holds(*group.threads, all);
      audit.require((group.mask & ~all) == 0, "the lanes that issue are on the stack");
    }
  }

  bool yield(IssueGroup& group) override {
    if (stacks_[group.warp].yield()) show(group.warp);
    return false;
  }

 private:
  void show(std::uint32_t warp) {
    const PdomStack::Entry* current = stacks_[warp].current();
    groups_[warp].mask = current ? current->mask : 0;
    if (current) groups_[warp].at = current->next;
  }

  std::vector<IssueGroup> groups_;  // by warp
  std::vector<PdomStack> stacks_;
  std::vector<IssueGroup*> list_;
};

}  // namespace

std::unique_ptr<DivergencePolicy> make_pdom(const DivergenceContext& context) {
  return std::make_unique<Pdom>(context);
}

}  // namespace heddle::device::sim
