// Threads that part where memory serves some of them first (Simultaneous Branch and Warp Interweaving, sections 2 and
// 3.4): an instruction that meets conflicts is issued again for the lanes that are left, while the others go on.
#include "device/sim/sm.hpp"

namespace heddle::device::sim {

// The group's instruction has executed: its accesses go to the memory pass by pass, and the lanes of a pass go on when
// its replay has issued.
void Sm::part_at_memory(IssueGroup& group, const OpTiming& op, std::span<const LaneMask> passes) {
  BlockContext& block = *group.block;
  auto& frontier = static_cast<Frontier&>(*block.divergence);
  Scheduler& scheduler = schedulers_[group.scheduler];
  LaneMask others = group.mask;  // that access nothing: they go on with the first ones
  for (const LaneMask lanes : passes) others &= ~lanes;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const LaneMask lanes = passes[i] | (i == 0 ? others : 0);
    part_.begin(effects_.operation);
    part_.ran = effects_.ran & lanes;
    for (const machine::MemoryAccess& one : effects_.accesses())
      if ((lanes >> one.lane & 1) != 0) part_.add(one);
    note_results(group, op, part_, never);
    if (i != 0) frontier.hold(group, lanes, now_ + ++scheduler.replays + 1);
  }
}

void Sm::release_threads() {
  for (const Context& context : interweave_->contexts)
    if (context.slot == 0 && context.frontier->release(context.wide)) settle_context(context);
}

}  // namespace heddle::device::sim
