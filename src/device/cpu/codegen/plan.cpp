#include "device/cpu/codegen/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "device/cpu/codegen/access_pattern.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/analysis/waiting/waiting.hpp"

namespace heddle::device::cpu {
namespace {

using namespace ptx::analysis;

struct Traits {
  FunctionWaiting waiting;
  std::size_t loops = 0;
  bool lanes_wait_for_lanes = false;
  AccessPattern accesses;
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
  traits.accesses = access_pattern(module, function, cfg, webs, uniformity);
  traits.loops = cfg.loops().size();
  for (const SpinLoop& spin : traits.waiting.spin_loops) traits.lanes_wait_for_lanes |= spin.intra_warp;
  return traits;
}

// Barriers that name a number of threads, that do not wait, or whose own number is computed and may be wrong, matter
// even in a block of one warp.
bool counts_threads(const ptx::Function& function, const FunctionWaiting& waiting) {
  for (std::uint32_t i : waiting.barriers) {
    const ptx::Instruction& inst = function.body[i];
    const std::size_t count = inst.has(ptx::Modifier::red) ? 2 : 1;
    if (inst.has(ptx::Modifier::arrive) || inst.operands[count - 1].kind != ptx::OperandKind::integer ||
        (inst.operands.size() > count && inst.operands[count].present()))
      return true;
  }
  return false;
}

// All barriers are one barrier of the whole block, and what their threads do is nothing but to wait there.
bool barriers_are_alike(const ptx::Function& function, const FunctionWaiting& waiting) {
  const auto number = [&](std::uint32_t barrier) { return function.body[barrier].operands[0]; };
  return std::all_of(waiting.barriers.begin(), waiting.barriers.end(), [&](std::uint32_t i) {
    const ptx::Instruction& inst = function.body[i];
    return !inst.has(ptx::Modifier::red) && !inst.has(ptx::Modifier::arrive) &&
           number(i).kind == ptx::OperandKind::integer && number(i).value == number(waiting.barriers[0]).value &&
           (inst.operands.size() < 2 || !inst.operands[1].present());
  });
}

// Loop-free kernels pass over their arrays: see BlockLoops::by_rows. 0 where that order is the same or not possible.
std::uint32_t threads_of_row(const ptx::Module& module, const ptx::Function& function, const Traits& traits, Dim3 block,
                             unsigned lanes) {
  const auto is_shared = [](const ptx::Variable& variable) { return variable.space == ptx::Space::shared; };
  // Each block needs a window of its own for the whole of its run.
  const bool shared = std::any_of(function.variables.begin(), function.variables.end(), is_shared) ||
                      std::any_of(module.variables.begin(), module.variables.end(), is_shared);
  if (traits.loops > 0 || shared || block.y * block.z == 1) return 0;
  const std::uint32_t row = block.x % lanes == 0 ? block.x : lanes % block.x == 0 ? lanes : 0;
  return row != 0 && block.count() % row == 0 && block.count() > row ? row : 0;
}

// Why each thread must be able to wait on its own; empty when warps can run in step.
std::string reason_for_one_lane(const Traits& traits, const ptx::Function& function) {
  const auto line = [&](std::uint32_t instruction) { return function.body[instruction].where.line; };
  if (traits.lanes_wait_for_lanes) return "a thread may wait for another thread of its warp";
  if (!traits.waiting.divergent_barriers.empty())
    return fmt::format("the barrier in PTX line {} may be reached by a part of a warp",
                       line(traits.waiting.divergent_barriers[0]));
  return {};
}

// Nothing makes one warp wait for another, so that warps may have any number of lanes.
bool warps_run_alone(const Traits& traits, bool calls_remain) {
  const FunctionWaiting& waiting = traits.waiting;
  return waiting.spin_loops.empty() && !waiting.sleeps && !calls_remain && waiting.barriers.empty();
}

void note_spin_loops(Plan& plan, const FunctionWaiting& waiting, std::size_t loops) {
  plan.spin_loops.assign(loops, false);
  plan.counted_loops.assign(loops, false);
  for (const SpinLoop& spin : waiting.spin_loops) {
    plan.spin_loops[spin.loop] = true;
    plan.counted_loops[spin.loop] = spin.counted;
  }
}

}  // namespace

// How many lanes: 32 unless memory says otherwise. A gather costs as much as its lanes' loads one by one, and lanes
// that walk along rows of their own keep as many lines of the first-level cache busy as there are lanes, often in few
// of its sets; 8 lanes measured best there (atax, bicg, mvt, gesummv, syrk, syr2k of bench/cpu: 1.2 to 5 times faster
// than 32; with merged loads 4 lanes were no better on them, and 16 a little on syrk and twice slower on syr2k). When
// lanes also leave the loop in different turns, vectors buy nothing (spmv: one lane is 3 times faster).
Plan make_plan(const ptx::Module& module, const ptx::Function& function, bool calls_remain,
               const CodegenOptions& options) {
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
    // Lanes of one row of a block read neighbouring places, those of several rows do not.
    if ((options.block.x == 8 || options.block.x == 16) && options.block.x < plan.lanes) {
      plan.lanes = options.block.x;
      width_reason = "no warp operations; a row of the block";
    }
    if (warps_run_alone(traits, calls_remain) && traits.accesses.gathers()) {
      plan.lanes = traits.accesses.lanes_diverge ? 1 : std::min(plan.lanes, 8u);
      width_reason = traits.accesses.lanes_diverge
                         ? "lanes gather from memory in loops that they leave in different turns"
                         : "lanes gather from memory in loops";
    }
  }
  note_spin_loops(plan, waiting, traits.loops);
  plan.may_wait = !waiting.spin_loops.empty() || waiting.sleeps || calls_remain;
  const bool meets = waiting.needs_warp_semantics && plan.lanes < 32;
  const bool barriers = !waiting.barriers.empty() && (threads > plan.lanes || counts_threads(function, waiting));
  plan.shape = plan.may_wait || meets || barriers ? Shape::fiber : Shape::direct;
  // Checks of what threads do between barriers have to see these.
  const bool records = options.check.race || options.check.sync || options.check.init;
  if (plan.shape == Shape::fiber && !plan.may_wait && !meets && options.phases && !records &&
      barriers_are_alike(function, waiting))
    plan.shape = Shape::phases;
  const char* shape_reason = plan.may_wait ? "loops that may wait"
                             : barriers    ? "barriers"
                             : meets       ? "warp operations"
                                           : "";
  if (plan.shape == Shape::direct)
    plan.row_threads = threads_of_row(module, function, traits, options.block, plan.lanes);
  const char* order =
      plan.row_threads ? "warps one after the other, along rows of blocks" : "warps one after the other";
  plan.explanation =
      fmt::format("{} lane{} ({}), {}", plan.lanes, plan.lanes == 1 ? "" : "s", width_reason,
                  plan.shape == Shape::fiber    ? fmt::format("a fiber for each warp ({})", shape_reason)
                  : plan.shape == Shape::phases ? std::string("warps one after the other to each barrier")
                                                : std::string(order));
  return plan;
}

}  // namespace heddle::device::cpu
