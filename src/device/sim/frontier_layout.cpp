#include "device/sim/frontier_layout.hpp"

#include <algorithm>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"

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

// How many loops around the one block do not contain the other.
unsigned loops_left(const ControlFlowGraph& cfg, std::uint32_t from, std::uint32_t to) {
  unsigned left = 0;
  for (std::uint32_t loop = cfg.loop_of(from); loop != ptx::analysis::no_node; loop = cfg.loops()[loop].parent)
    if (!cfg.loop_contains(loop, to)) ++left;
  return left;
}

// Reverse post-order in which of a block's successors those come last that leave loops, then those at which its threads
// meet again: these are visited first.
class Order {
 public:
  Order(const ControlFlowGraph& cfg, const ptx::analysis::PostDominators& post) : cfg_(cfg), post_(post) {
    seen_.resize(cfg.size());
    if (!cfg.order().empty()) visit(cfg.order().front());
    std::reverse(blocks_.begin(), blocks_.end());
  }
  const std::vector<std::uint32_t>& blocks() const { return blocks_; }

 private:
  struct Step {
    std::uint32_t block;
    std::vector<std::uint32_t> next;  // the one to be visited first is the last
  };
  void enter(std::uint32_t block) {
    seen_[block] = true;
    const auto successors = cfg_.successors(block);
    Step step{block, {successors.begin(), successors.end()}};
    std::stable_sort(step.next.begin(), step.next.end(), [&](std::uint32_t a, std::uint32_t b) {
      const unsigned of_a = loops_left(cfg_, block, a), of_b = loops_left(cfg_, block, b);
      if (of_a != of_b) return of_a < of_b;
      return !post_.post_dominates(a, block) && post_.post_dominates(b, block);
    });
    steps_.push_back(std::move(step));
  }
  void visit(std::uint32_t entry) {
    enter(entry);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      if (step.next.empty()) {
        blocks_.push_back(step.block);
        steps_.pop_back();
        continue;
      }
      const std::uint32_t next = step.next.back();
      step.next.pop_back();
      if (!seen_[next]) enter(next);
    }
  }

  const ControlFlowGraph& cfg_;
  const ptx::analysis::PostDominators& post_;
  std::vector<bool> seen_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> blocks_;
};

}  // namespace

FrontierLayout frontier_layout(const ptx::Function& function, const ptx::Module& module) {
  const ControlFlowGraph cfg(function, &module);
  FrontierLayout layout;
  layout.ops.resize(function.body.size() + 1);
  std::uint32_t next = 1;
  const ptx::analysis::PostDominators post(cfg);
  const Order order(cfg, post);
  for (const std::uint32_t block : order.blocks())
    for (std::uint32_t i = cfg.block(block).begin; i < cfg.block(block).end; ++i) layout.ops[i].order = next++;
  layout.ops.back().order = next;
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
