// divergence=pdom: one stack for each warp; where the machine's are narrower than those of PTX, for each part of a
// warp.
#include <algorithm>
#include <vector>

#include "device/sim/policies/divergence.hpp"
#include "device/sim/policies/pdom_stack.hpp"

namespace heddle::device::sim {
namespace {

class Pdom final : public DivergencePolicy {
 public:
  explicit Pdom(const DivergenceContext& context) {
    const machine::Block& block = context.block;
    const unsigned width = context.options.number("warp-width");
    groups_.reserve(block.warps.size() * (machine::warp_size / width));  // groups keep their addresses
    for (std::uint32_t warp = 0; warp < block.warps.size(); ++warp) {
      for (std::uint32_t first = 0; first < block.warps[warp].count; first += width)
        add(context, warp, first, std::min(block.warps[warp].count - first, width), width);
    }
  }

  std::span<IssueGroup* const> groups() override { return list_; }

  bool retire(IssueGroup& group, const machine::Effects& effects) override {
    PdomStack& stack = stack_of(group);
    const bool ordinary =
        effects.operation != nullptr && (effects.waiting | effects.called | effects.returned | effects.exited) == 0;
    if (ordinary && effects.branched == 0)
      stack.retire_to(group.at.pc + 1);
    else
      stack.retire(effects.branched, effects.exited);
    show(group);
    return false;
  }

  bool resume(std::uint32_t warp, Cycle) override {
    for (IssueGroup& group : groups_) {
      if (group.warp != warp) continue;
      stack_of(group).resume();
      show(group);
    }
    return false;
  }

  std::size_t depth(std::uint32_t warp) const override {
    std::size_t most = 0;
    for (const IssueGroup& group : groups_)
      if (group.warp == warp) most = std::max(most, stack_of(group).entries().size());
    return most;
  }

  void audit(PolicyAudit& audit) const override {
    for (const IssueGroup& group : groups_) {
      LaneMask all = 0;
      for (const PdomStack::Entry& entry : stack_of(group).entries()) all |= entry.mask;
      audit.holds(*group.threads, all);
      audit.require((group.mask & ~all) == 0, "the lanes that issue are on the stack");
    }
  }

  bool yield(IssueGroup& group) override {
    if (stack_of(group).yield()) show(group);
    return false;
  }

 private:
  void add(const DivergenceContext& context, std::uint32_t warp, std::uint32_t first, std::uint32_t count,
           unsigned width) {
    const machine::LaneThreads& lanes = context.block.warps[warp].lanes;
    const LaneMask all = (count == machine::warp_size ? ~LaneMask{0} : (LaneMask{1} << count) - 1) << first;
    stacks_.emplace_back(lanes, all, context.timing);
    IssueGroup& group = groups_.emplace_back();
    group.threads = &lanes;
    group.warp = warp;
    group.width = static_cast<std::uint8_t>(width);
    list_.push_back(&group);
    show(group);
  }
  PdomStack& stack_of(const IssueGroup& group) { return stacks_[static_cast<std::size_t>(&group - groups_.data())]; }
  const PdomStack& stack_of(const IssueGroup& group) const { return const_cast<Pdom*>(this)->stack_of(group); }
  void show(IssueGroup& group) {
    const PdomStack::Entry* current = stack_of(group).current();
    group.mask = current ? current->mask : 0;
    if (current) group.at = current->next;
  }

  std::vector<IssueGroup> groups_;  // by warp
  std::vector<PdomStack> stacks_;   // of each group
  std::vector<IssueGroup*> list_;
};

}  // namespace

std::unique_ptr<DivergencePolicy> make_pdom(const DivergenceContext& context) {
  return std::make_unique<Pdom>(context);
}

}  // namespace heddle::device::sim
