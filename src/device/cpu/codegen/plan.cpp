#include "device/cpu/codegen/plan.hpp"

#include <fmt/format.h>

#include "ptx/analysis/control_flow.hpp"
#include "ptx/analysis/dominators.hpp"
#include "ptx/analysis/register_table.hpp"
#include "ptx/analysis/uniformity.hpp"
#include "ptx/analysis/waiting.hpp"
#include "ptx/analysis/webs.hpp"

namespace heddle::device::cpu {
namespace {

using namespace ptx::analysis;

struct Traits {
  FunctionWaiting waiting;
  std::size_t loops = 0;
  bool lanes_wait_for_lanes = false;
};

Traits traits_of(const ptx::Module& module, const ptx::Function& function, const CodegenOptions& options) {
  const ControlFlowGraph cfg(function, &module);
  const RegisterTable table(function);
  const PostDominators post(cfg);
  const Webs webs(cfg, dominators(cfg), function, table);
  UniformityOptions uniformity_options;
  uniformity_options.lanes = LaneModel::for_block(options.block, 32);
  const Uniformity uniformity(module, function, cfg, post, webs, uniformity_options);
  Traits traits;
  traits.waiting = find_waiting_in(module, function, cfg, webs, uniformity);
  traits.loops = cfg.loops().size();
  for (const SpinLoop& spin : traits.waiting.spin_loops) traits.lanes_wait_for_lanes |= spin.intra_warp;
  return traits;
}

// Barriers that name a number of threads, or do not wait, matter even in a block of one warp.
bool counts_threads(const ptx::Function& function, const FunctionWaiting& waiting) {
  for (std::uint32_t i : waiting.barriers) {
    const ptx::Instruction& inst = function.body[i];
    const std::size_t count = inst.has(ptx::Modifier::red) ? 2 : 1;
    if (inst.has(ptx::Modifier::arrive) || (inst.operands.size() > count && inst.operands[count].present())) return true;
  }
  return false;
}

// Why each thread must be able to wait on its own; empty when warps can run in step.
std::string reason_for_one_lane(const Traits& traits, const ptx::Function& function) {
  const auto line = [&](std::uint32_t instruction) { return function.body[instruction].where.line; };
  if (traits.lanes_wait_for_lanes) return "a thread may wait for another thread of its warp";
  if (!traits.waiting.divergent_barriers.empty())
    return fmt::format("the barrier in PTX line {} may be reached by a part of a warp", line(traits.waiting.divergent_barriers[0]));
  return {};
}

}  // namespace

Plan make_plan(const ptx::Module& module, const ptx::Function& function, bool calls_remain, const CodegenOptions& options) {
  const Traits traits = traits_of(module, function, options);
  const FunctionWaiting& waiting = traits.waiting;
  const std::uint64_t threads = options.block.count();
  const std::string one_lane = threads > 1 ? reason_for_one_lane(traits, function) : "";
  Plan plan;
  std::string width_reason = "no warp operations";
  if (options.width) {
    plan.lanes = options.width;
    width_reason = "asked for";
  } else if (!one_lane.empty()) {
    plan.lanes = 1;
    width_reason = one_lane;
  } else if (waiting.needs_warp_semantics) {
    plan.lanes = 32;
    width_reason = "warp operations";
  } else {
    plan.lanes = threads > 16 ? 32 : threads > 8 ? 16 : threads > 1 ? 8 : 1;
  }
  plan.spin_loops.assign(traits.loops, false);
  for (const SpinLoop& spin : waiting.spin_loops) plan.spin_loops[spin.loop] = true;
  plan.may_wait = !waiting.spin_loops.empty() || waiting.sleeps || calls_remain;
  const bool meets = waiting.needs_warp_semantics && plan.lanes < 32;
  const bool barriers = !waiting.barriers.empty() && (threads > plan.lanes || counts_threads(function, waiting));
  plan.shape = plan.may_wait || meets || barriers ? Shape::fiber : Shape::direct;
  const char* shape_reason = plan.may_wait ? "loops that may wait" : barriers ? "barriers" : meets ? "warp operations" : "";
  plan.explanation = fmt::format("{} lane{} ({}), {}", plan.lanes, plan.lanes == 1 ? "" : "s", width_reason,
                                 plan.shape == Shape::fiber ? fmt::format("a fiber for each warp ({})", shape_reason)
                                                            : std::string("warps one after the other"));
  return plan;
}

}  // namespace heddle::device::cpu
