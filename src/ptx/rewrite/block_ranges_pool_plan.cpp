#include <algorithm>
#include <array>

#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/barrier.hpp"
#include "ptx/rewrite/block_ranges_pool.hpp"

namespace heddle::ptx {
namespace {

using analysis::BasicBlock;
using analysis::ControlFlowGraph;
using analysis::DominatorTree;
using analysis::ExitKind;
using analysis::FunctionWaiting;
using analysis::Graph;
using analysis::LaneModel;
using analysis::no_node;

constexpr unsigned barrier_count = 16, warp_lanes = 32;
constexpr std::uint64_t most_static_shared = 48 * 1024, slot_bytes = 4;

// Operands of barriers: [d,] a, b. A count says how many threads come, whichever warps have left; of a warp that comes,
// those that have left count with it.
const Operand& barrier_number(const Instruction& inst) {
  return inst.operands[inst.d.reduce == ReduceOp::none ? 0 : 1];
}
bool has_count(const Instruction& inst) {
  const std::size_t slot = inst.d.reduce == ReduceOp::none ? 1 : 2;
  return slot < inst.operands.size() && inst.operands[slot].present();
}

// Lanes named by a mask or all lanes of the warp must come; those that have left need not.
bool is_warp_collective(const Instruction& inst) {
  if (inst.opcode == Opcode::barrier || inst.opcode == Opcode::bar) return inst.has(Modifier::warp);
  return inst.has(Modifier::sync);
}

// What of a block would still be there when the next one begins.
const char* what_stays(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::alloca: return "takes memory of the thread's stack until the kernel ends";
    case Opcode::mbarrier:
      return inst.has(Modifier::init) ? "sets up an object in shared memory that may not be set up twice" : nullptr;
    case Opcode::setmaxnreg: return "changes how many registers the warp has until the kernel ends";
    case Opcode::wgmma: return "may still be under way when the kernel ends";
    case Opcode::clusterlaunchcontrol: return "takes over the number of a block that is not launched yet";
    case Opcode::bar:
    case Opcode::barrier:
      return is_block_barrier(inst) && inst.has(Modifier::arrive) ? "may leave a barrier that others are awaited at"
                                                                  : nullptr;
    default: return nullptr;
  }
}

// Where threads that leave early would be waited for, in one function.
class LeavingThreads {
 public:
  LeavingThreads(const RangeContext& context, std::uint32_t function, const LaneModel& lanes)
      : context_(context),
        function_(context.module.functions[function]),
        cfg_(function_, &context.module),
        post_all_(cfg_),
        table_(function_),
        webs_(cfg_, analysis::dominators(cfg_), function_, table_),
        uniformity_(context.module, function_, cfg_, post_all_, webs_, {.lanes = lanes, .assume_no_wrap = false}),
        post_(backwards(), cfg_.size()) {}

  // The instruction that would wait; no_node: none.
  std::uint32_t find() const {
    std::uint32_t found = no_node;
    for (std::uint32_t b : cfg_.order()) {
      if (!uniformity_.block_divergent(b) && !uniformity_.divergent(b)) continue;
      for (std::uint32_t apart : region(b))
        for (std::uint32_t i = cfg_.block(apart).begin; i < cfg_.block(apart).end; ++i) {
          const bool waits =
              (uniformity_.block_divergent(b) && waits_for_block(i)) || (uniformity_.divergent(b) && waits_for_warp(i));
          if (waits) found = std::min(found, i);
        }
    }
    return found;
  }

  // Lanes may come to the end of the function one after another.
  bool parts_at_end() const {
    return std::any_of(cfg_.order().begin(), cfg_.order().end(), [&](std::uint32_t b) {
      return uniformity_.divergent(b) && post_.reachable(b) && post_.immediate(b) == cfg_.size();
    });
  }

 private:
  // The graph from the end of the function backwards. Threads that stop for good with the whole launch are no concern.
  Graph backwards() const {
    std::vector<Graph::Edge> edges;
    for (std::uint32_t b : cfg_.order()) {
      for (std::uint32_t next : cfg_.successors(b)) edges.emplace_back(next, b);
      const ExitKind exit = cfg_.block(b).exit;
      if (exit == ExitKind::ret || exit == ExitKind::exit) edges.emplace_back(cfg_.size(), b);
    }
    return Graph(cfg_.size() + 1, edges);
  }

  // Blocks that some threads may run while others have gone on from where those who part in block `b` meet again, or
  // have left.
  std::vector<std::uint32_t> region(std::uint32_t b) const {
    if (!post_.reachable(b)) return {};
    const std::uint32_t meeting = post_.immediate(b);
    std::vector<bool> seen(cfg_.size() + 1, false);
    std::vector<std::uint32_t> blocks, work(cfg_.successors(b).begin(), cfg_.successors(b).end());
    while (!work.empty()) {
      const std::uint32_t next = work.back();
      work.pop_back();
      if (next == meeting || seen[next]) continue;
      seen[next] = true;
      blocks.push_back(next);
      work.insert(work.end(), cfg_.successors(next).begin(), cfg_.successors(next).end());
    }
    return blocks;
  }

  bool some_callee(std::uint32_t i, bool FunctionWaiting::* fact) const {
    const Instruction& inst = function_.body[i];
    if (inst.opcode != Opcode::call) return false;
    const auto callees = analysis::possible_callees(context_.module, function_, inst);
    return std::any_of(callees.begin(), callees.end(),
                       [&](std::uint32_t callee) { return context_.facts.waiting[callee].*fact; });
  }
  bool waits_for_block(std::uint32_t i) const {
    const Instruction& inst = function_.body[i];
    return (is_block_barrier(inst) && !has_count(inst)) || some_callee(i, &FunctionWaiting::has_barrier);
  }
  bool waits_for_warp(std::uint32_t i) const {
    const Instruction& inst = function_.body[i];
    return is_warp_collective(inst) || (is_block_barrier(inst) && has_count(inst)) ||
           some_callee(i, &FunctionWaiting::needs_warp_semantics) || some_callee(i, &FunctionWaiting::has_barrier);
  }

  const RangeContext& context_;
  const Function& function_;
  ControlFlowGraph cfg_;
  analysis::PostDominators post_all_;
  analysis::RegisterTable table_;
  analysis::Webs webs_;
  analysis::Uniformity uniformity_;
  DominatorTree post_;
};

class Planner {
 public:
  Planner(const RangeContext& context, std::uint32_t entry)
      : c_(context), entry_(entry), functions_(functions_run(context.facts, entry)) {}

  PoolPlan run() {
    for (std::uint32_t f : functions_)
      for (std::uint32_t i = 0; i < c_.module.functions[f].body.size(); ++i)
        if (!look_at(f, i)) return plan_;
    if (choose_barrier() && check_shared() && check_leaving()) check_version();
    return plan_;
  }

 private:
  bool refuse(std::string why) {
    plan_.refusal = std::move(why);
    return false;
  }
  bool refuse_at(std::uint32_t f, std::uint32_t i, const std::string& why) {
    return refuse(describe_place(c_.module, f, i) + " " + why);
  }

  bool look_at(std::uint32_t f, std::uint32_t i) {
    const Instruction& inst = c_.module.functions[f].body[i];
    if (const char* stays = what_stays(inst)) return refuse_at(f, i, std::string(stays) + ".");
    if (inst.opcode == Opcode::exit && f != entry_)
      return refuse_at(f, i, "ends the thread from within a function, from where there is no way to the next block.");
    if (inst.opcode == Opcode::cp && inst.has(Modifier::proxy_async))
      (inst.has(Modifier::bulk) ? plan_.waits_for_bulk_copies : plan_.waits_for_copies) = true;
    if (!is_block_barrier(inst)) return true;
    const Operand& barrier = barrier_number(inst);
    if (barrier.kind != OperandKind::integer)
      return refuse_at(f, i, "waits at a barrier whose number is not known before the kernel runs.");
    used_.at(static_cast<std::size_t>(barrier.value) % barrier_count) = true;
    return true;
  }

  bool choose_barrier() {
    const auto unused = std::find(used_.begin(), used_.end(), false);
    if (unused == used_.end())
      return refuse("The kernel " + kernel().name + " in line " + std::to_string(kernel().line) +
                    " uses all sixteen barriers of a block; a pool needs one.");
    plan_.barrier = static_cast<std::uint32_t>(unused - used_.begin());
    return true;
  }

  bool check_shared() {
    std::uint64_t bytes = slot_bytes;
    const auto add = [&](const std::vector<Variable>& variables) {
      for (const Variable& variable : variables)
        if (variable.space == Space::shared && variable.linkage != Linkage::external) bytes += variable.size();
    };
    add(c_.module.variables);
    for (std::uint32_t f : functions_) add(c_.module.functions[f].variables);
    if (bytes <= most_static_shared) return true;
    return refuse("The .shared variables of " + kernel().name + " in line " + std::to_string(kernel().line) +
                  " leave no room for the four bytes that a pool needs.");
  }

  // What is known of the block's size; nothing: neither size nor shape.
  std::optional<LaneModel> lanes() const {
    const auto extents = [](const FunctionDirective& size) {
      const auto extent = [&](std::size_t d) { return d < size.values.size() ? size.values[d] : 1; };
      return Dim3{extent(0), extent(1), extent(2)};
    };
    if (const FunctionDirective* size = kernel().directive("reqntid"))
      return LaneModel::for_block(extents(*size), warp_lanes);
    const FunctionDirective* most = kernel().directive("maxntid");
    if (most && extents(*most).y == 1 && extents(*most).z == 1) return LaneModel::rows(warp_lanes);
    return std::nullopt;
  }

  bool check_leaving() {
    const std::optional<LaneModel> known = lanes();
    if (check_leaving(known.value_or(LaneModel::unknown(warp_lanes)))) return true;
    if (known) return false;
    // Perhaps if warps are rows of the block: the usual shape.
    plan_.refusal.clear();
    plan_.converged = true;
    plan_.warps_are_rows = true;
    return check_leaving(LaneModel::rows(warp_lanes));
  }

  // Whether anybody waits for others at all.
  bool waits() const {
    const FunctionWaiting& waiting = c_.facts.waiting[entry_];
    if (waiting.has_barrier || waiting.needs_warp_semantics) return true;
    return std::any_of(functions_.begin(), functions_.end(), [&](std::uint32_t f) {
      const std::vector<Instruction>& body = c_.module.functions[f].body;
      return std::any_of(body.begin(), body.end(), is_warp_collective);
    });
  }

  // Whether the kernel ends in one place only.
  bool has_one_end() const {
    const std::vector<Instruction>& body = kernel().body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const bool leaves = body[i].opcode == Opcode::ret || body[i].opcode == Opcode::exit;
      if (leaves && (i + 1 != body.size() || body[i].guard.present)) return false;
    }
    return true;
  }

  bool check_leaving(const LaneModel& lanes) {
    if (!waits()) {
      plan_.converged = has_one_end();
      return true;
    }
    for (std::uint32_t f : functions_) {
      const LeavingThreads leaving(c_, f, lanes);
      const std::uint32_t i = leaving.find();
      if (i != no_node)
        return refuse_at(f, i, "may wait for threads of the block that have gone on to the end of the kernel.");
      if (f == entry_ && leaving.parts_at_end()) plan_.converged = false;
    }
    return true;
  }

  // barrier.sync is for lanes that come one after another; bar.sync is not, on targets of today.
  bool check_version() {
    constexpr unsigned first_version = 6;
    if (plan_.converged || c_.module.version_major >= first_version) return true;
    return refuse("The kernel " + kernel().name + " in line " + std::to_string(kernel().line) +
                  " lets threads leave early, for which a pool needs an instruction of PTX 6.0.");
  }

  const Function& kernel() const { return c_.module.functions[entry_]; }

  const RangeContext& c_;
  std::uint32_t entry_;
  std::vector<std::uint32_t> functions_;
  std::array<bool, barrier_count> used_{};
  PoolPlan plan_;
};

}  // namespace

PoolPlan plan_pool(const RangeContext& context, std::uint32_t entry) { return Planner(context, entry).run(); }

}  // namespace heddle::ptx
