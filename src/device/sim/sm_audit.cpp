// What must hold at the end of each cycle, for tests.
#include <algorithm>

#include "device/sim/sm.hpp"

namespace heddle::device::sim {

void Sm::check_all() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BlockContext& block = *blocks_[i];
    try {
      check(block);
    } catch (...) {
      fail(block);
      return;
    }
  }
}

void Sm::check(const BlockContext& block) const {
  PolicyAudit audit(block.block);
  audit.groups(block.divergence->groups());
  block.divergence->audit(audit);
  audit.finish();
  if (!rotation_) return;
  const BlockState state = rotation_->state(block.id);
  audit.require(block.active == (state == BlockState::active), "the rotation knows which blocks are active");
  audit.require(!block.active || block.pending_writes == 0, "an active block has no results that it does not know of");
  audit.require(physical_.used() <= machine_.residency.warps, "active warps are no more than physical ones");
  audit.require(rotation_->active() <= machine_.residency.blocks, "active blocks are no more than scheduling allows");
  audit.require(!residency_->keeps_live_registers() || rotation_->held() <= machine_.residency.registers,
                "registers of active blocks, and what others keep, are within the register file");
  if (!block.active) return;
  for (const WarpContext& warp : block.warps)
    audit.require(physical_.owned_by(warp.physical, warp.slot), "a warp of an active block has a physical warp");
}

}  // namespace heddle::device::sim
