#include "device/sim/frontier_layout.hpp"

#include <algorithm>

#include "ptx/analysis/control_flow.hpp"
#include "ptx/analysis/dominators.hpp"

namespace heddle::device::sim {
namespace {

using ptx::analysis::ControlFlowGraph;

// The order of the last instruction before the region in which threads are that part at the end of `block` and meet at
// `join`: that branch, or what comes before the outermost loop around it that does not contain the join.
std::uint32_t before_region(const ControlFlowGraph& cfg, const FrontierLayout& layout, std::uint32_t block,
                            std::uint32_t join) {
  const std::uint32_t branch = layout.ops[cfg.block(block).end - 1].order;
  std::uint32_t outermost = ptx::analysis::no_node;
  for (std::uint32_t loop = cfg.loop_of(block); loop != ptx::analysis::no_node; loop = cfg.loops()[loop].parent)
    if (!cfg.loop_contains(loop, join)) outermost = loop;
  if (outermost == ptx::analysis::no_node) return branch;
  const std::uint32_t header = layout.ops[cfg.block(cfg.loops()[outermost].header).begin].order;
  return header == 0 ? 0 : header - 1;
}

}  // namespace

FrontierLayout frontier_layout(const ptx::Function& function, const ptx::Module& module) {
  const ControlFlowGraph cfg(function, &module);
  FrontierLayout layout;
  layout.ops.resize(function.body.size() + 1);
  std::uint32_t next = 1;
  for (const std::uint32_t block : cfg.order())
    for (std::uint32_t i = cfg.block(block).begin; i < cfg.block(block).end; ++i) layout.ops[i].order = next++;
  layout.ops.back().order = next;
  const ptx::analysis::PostDominators post(cfg);
  const ptx::analysis::DominatorTree dominators = ptx::analysis::dominators(cfg);
  for (const std::uint32_t block : cfg.order()) {
    const ptx::analysis::BasicBlock& parts = cfg.block(block);
    if (!parts.decides || cfg.successors(block).size() < 2) continue;
    const std::uint32_t join = post.immediate(block);
    if (join >= cfg.size() || cfg.block(join).begin == cfg.block(join).end) continue;
    FrontierLayout::Op& op = layout.ops[cfg.block(join).begin];
    op.region = std::min(op.region, before_region(cfg, layout, block, join));
    const std::uint32_t dominator = dominators.immediate(join);
    if (dominator < cfg.size()) op.dominator = layout.ops[cfg.block(dominator).end - 1].order;
  }
  return layout;
}

}  // namespace heddle::device::sim
