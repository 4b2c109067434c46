#include "ptx/analysis/waiting/waiting.hpp"

#include <algorithm>
#include <optional>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/waiting/counted_loops.hpp"
#include "ptx/analysis/waiting/lone_lanes.hpp"
#include "ptx/analysis/waiting/spin_finder.hpp"
#include "ptx/barrier.hpp"

namespace heddle::ptx::analysis {
namespace {

using S = SpecialRegister;

bool reads_lane_number(const Operand& operand) {
  if (operand.kind == OperandKind::special) {
    const S s = operand.special;
    return s == S::laneid || s == S::warpid || (s >= S::lanemask_eq && s <= S::lanemask_gt);
  }
  return std::any_of(operand.elements.begin(), operand.elements.end(), reads_lane_number);
}

bool needs_warp(const Module& module, const Function& function, const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::activemask:
    case Opcode::mma:
    case Opcode::wmma:
    case Opcode::wgmma:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix: return true;
    case Opcode::bar:
    case Opcode::barrier:
      if (inst.has(Modifier::warp)) return true;
      break;
    case Opcode::ld:
    case Opcode::st:
      // Code of old style that counts on the lanes of a warp running in step.
      if (inst.d.order == Order::volatile_)
        for (const Operand& operand : inst.operands)
          if (operand.kind == OperandKind::address && space_of(module, function, inst, operand) == Space::shared)
            return true;
      break;
    default: break;
  }
  return std::any_of(inst.operands.begin(), inst.operands.end(), reads_lane_number);
}

// Whether every block that can be reached from `block` leads back to it, within the part that is not ignored.
bool leads_only_back(const ControlFlowGraph& cfg, const std::vector<bool>& ignored, std::uint32_t block) {
  std::vector<Graph::Edge> edges;
  for (std::uint32_t b : cfg.order())
    for (std::uint32_t next : cfg.successors(b))
      if (!ignored[b] && !ignored[next]) edges.emplace_back(b, next);
  const Graph graph(cfg.size(), edges);
  const std::vector<std::uint32_t> start{block};
  const auto after = reachable_from(graph, start), before = reachable_from(graph.reversed(), start);
  for (std::uint32_t b : cfg.order())
    if (after[b] && !before[b]) return false;
  return true;
}

// Blocks that may run while lanes of the group are elsewhere. Lanes on their way out, past which no barrier lies, do
// not count: only blocks that lead to a barrier are looked at, and where lanes that stay among them meet again.
std::vector<bool> find_torn_blocks(const ControlFlowGraph& cfg, const Uniformity& uniformity,
                                   const std::vector<std::uint32_t>& barrier_blocks) {
  std::vector<bool> torn(cfg.size(), false);
  if (barrier_blocks.empty()) return torn;
  std::vector<bool> ignored = reachable_from(cfg.graph().reversed(), barrier_blocks);
  ignored.flip();
  const std::uint32_t exit = cfg.size();
  std::vector<Graph::Edge> backwards;
  for (std::uint32_t b : cfg.order()) {
    if (ignored[b]) continue;
    bool stays = false;
    for (std::uint32_t next : cfg.successors(b)) {
      if (ignored[next]) continue;
      backwards.emplace_back(next, b);
      stays = true;
    }
    if (!stays) backwards.emplace_back(exit, b);
  }
  // Cycles that lead to a barrier of their own only, as a loop with a barrier is once those who leave it do not count:
  // the end of a turn stands for the way out.
  std::vector<bool> ends = reachable_from(Graph(cfg.size() + 1, backwards), std::vector<std::uint32_t>{exit});
  const auto order = cfg.order();
  for (auto b = order.rbegin(); b != order.rend(); ++b) {
    if (ignored[*b] || ends[*b] || !leads_only_back(cfg, ignored, *b)) continue;
    backwards.emplace_back(exit, *b);
    ends = reachable_from(Graph(cfg.size() + 1, backwards), std::vector<std::uint32_t>{exit});
  }
  const DominatorTree post(Graph(cfg.size() + 1, backwards), exit);
  Divergence divergence(cfg, post, ignored);
  KnownLoops known;
  for (std::uint32_t b : cfg.order()) {
    if (!uniformity.divergent(b) || ignored[b]) continue;
    const DivergenceEffect effect = divergence.of_branch(b, known);
    if (effect.given_up) torn.assign(cfg.size(), true);
    if (effect.given_up) return torn;
    for (const std::uint32_t later : effect.partial) torn[later] = true;
  }
  return torn;
}

}  // namespace

namespace {

// Lanes of a group may give the barrier different numbers, or different numbers of threads. PTX permits that where the
// barrier is not aligned.
bool lanes_may_be_at_several(const Function& function, const Uniformity& uniformity, std::uint32_t instruction) {
  const Instruction& inst = function.body[instruction];
  if (is_aligned(inst)) return false;
  const std::uint16_t first = inst.has(Modifier::red) ? 1 : 0;
  for (std::uint16_t o = first; o < first + 2 && o < inst.operands.size(); ++o)
    if (inst.operands[o].kind == OperandKind::reg && !uniformity.operand(instruction, o).uniform()) return true;
  return false;
}

}  // namespace

FunctionWaiting find_waiting_in(const Module& module, const Function& function, const ControlFlowGraph& cfg,
                                const Webs& webs, const Uniformity& uniformity) {
  FunctionWaiting facts;
  for (std::uint32_t b : cfg.order()) {
    for (std::uint32_t i = cfg.block(b).begin; i < cfg.block(b).end; ++i) {
      const Instruction& inst = function.body[i];
      if (is_block_barrier(inst)) facts.barriers.push_back(i);
      facts.has_cluster_barrier |= inst.opcode == Opcode::barrier && inst.has(Modifier::cluster);
      facts.sleeps |= inst.opcode == Opcode::nanosleep;
      facts.uses_local |= inst.opcode == Opcode::alloca;
      if (inst.opcode == Opcode::call && inst.operands[1].kind == OperandKind::reg) facts.indirect_calls.push_back(i);
      if (needs_warp(module, function, inst)) facts.warp_instruction = std::min(facts.warp_instruction, i);
    }
  }
  for (const Variable& variable : function.variables) facts.uses_local |= variable.space == Space::local;
  std::sort(facts.barriers.begin(), facts.barriers.end());
  facts.has_barrier = !facts.barriers.empty();
  facts.needs_warp_semantics = facts.warp_instruction != no_node;
  facts.calls_indirectly = !facts.indirect_calls.empty();

  const SpinFinder finder(module, function, cfg, webs);
  std::optional<LoneLanes> lone;
  std::optional<Slicer> slicer;
  std::optional<CountedLoops> counted;
  for (std::uint32_t loop = 0; loop < cfg.loops().size(); ++loop) {
    auto spin = finder.find(loop);
    if (!spin) continue;
    if (!counted) counted.emplace(function, cfg, webs, slicer.emplace(cfg, webs));
    spin->counted = counted->contains(loop);
    for (std::uint32_t b : cfg.loops()[loop].blocks) {
      if (spin->endless) break;  // who has left it was never waited for
      const auto next = cfg.successors(b);
      const bool leaves =
          std::any_of(next.begin(), next.end(), [&](std::uint32_t s) { return !cfg.loop_contains(loop, s); });
      spin->intra_warp |= uniformity.divergent(b) && (leaves || cfg.block(b).exit != ExitKind::none);
    }
    if (spin->intra_warp) {
      if (!lone) lone.emplace(function, cfg, webs, uniformity);
      spin->intra_warp = !lone->runs_alone(loop);
    }
    facts.spin_loops.push_back(*spin);
  }
  facts.may_spin = !facts.spin_loops.empty();

  std::vector<std::uint32_t> barrier_blocks;
  for (std::uint32_t i : facts.barriers) barrier_blocks.push_back(cfg.block_of(i));
  const auto torn = find_torn_blocks(cfg, uniformity, barrier_blocks);
  for (std::uint32_t i : facts.barriers) {
    const std::uint32_t guard = webs.guard(i);
    if (torn[cfg.block_of(i)] || (guard != no_web && !uniformity.uniform(guard)) ||
        lanes_may_be_at_several(function, uniformity, i))
      facts.divergent_barriers.push_back(i);
  }
  return facts;
}

namespace {

void note_builtin(const std::string& name, FunctionWaiting& facts) {
  if (name == "vprintf")
    facts.prints = true;
  else if (name == "malloc" || name == "free")
    facts.allocates = true;
  else if (name == "__assertfail")
    facts.asserts = true;
  else
    facts.calls_unknown = true;
}

// What a caller takes over from a function that it calls.
void take_over(FunctionWaiting& facts, const FunctionWaiting& callee) {
  facts.has_barrier |= callee.has_barrier;
  facts.has_cluster_barrier |= callee.has_cluster_barrier;
  facts.may_spin |= callee.may_spin;
  facts.sleeps |= callee.sleeps;
  facts.needs_warp_semantics |= callee.needs_warp_semantics;
  facts.calls_indirectly |= callee.calls_indirectly;
  facts.prints |= callee.prints;
  facts.allocates |= callee.allocates;
  facts.asserts |= callee.asserts;
  facts.calls_unknown |= callee.calls_unknown;
  facts.uses_local |= callee.uses_local;
}

}  // namespace

std::vector<FunctionWaiting> find_waiting(const Module& module, const UniformityOptions& asked) {
  UniformityOptions options = asked;
  options.takes_address_of_local = takes_address_of_local(module);
  std::vector<FunctionWaiting> all(module.functions.size());
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> calls(
      module.functions.size());  // instruction, callee
  std::vector<std::vector<std::uint32_t>> partial_calls(module.functions.size());
  std::vector<Graph::Edge> edges;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    if (function.is_declaration) continue;
    const ControlFlowGraph cfg(function, &module);
    const PostDominators post(cfg);
    const RegisterTable table(function);
    const Webs webs(cfg, dominators(cfg), function, table);
    const Uniformity uniformity(module, function, cfg, post, webs, options);
    all[f] = find_waiting_in(module, function, cfg, webs, uniformity);
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
      if (function.body[i].opcode != Opcode::call || !cfg.block(cfg.block_of(i)).reachable) continue;
      if (uniformity.partial(cfg.block_of(i)) || function.body[i].guard.present) partial_calls[f].push_back(i);
      for (std::uint32_t callee : possible_callees(module, function, function.body[i])) {
        if (module.functions[callee].is_declaration) {
          note_builtin(module.functions[callee].name, all[f]);
          continue;
        }
        calls[f].emplace_back(i, callee);
        edges.emplace_back(f, callee);
      }
    }
  }
  const Graph graph(static_cast<std::uint32_t>(module.functions.size()), edges);
  const std::vector<FunctionWaiting> own = all;
  Reachability reachability(graph);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (graph.successors(f).empty()) continue;
    all[f].functions = reachability.from(graph.successors(f));
    all[f].recursive = std::binary_search(all[f].functions.begin(), all[f].functions.end(), f);
    for (std::uint32_t g : all[f].functions) take_over(all[f], own[g]);
  }
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    for (std::uint32_t callee : all[f].functions) all[f].reaches_recursion |= all[callee].recursive;
    for (const auto& [i, callee] : calls[f]) {
      if (all[callee].needs_warp_semantics) all[f].warp_instruction = std::min(all[f].warp_instruction, i);
      const bool partial = std::binary_search(partial_calls[f].begin(), partial_calls[f].end(), i);
      auto& list = all[f].divergent_barriers;  // the calls of one instruction follow one another
      if (partial && all[callee].has_barrier && (list.empty() || list.back() != i)) list.push_back(i);
    }
  }
  return all;
}

}  // namespace heddle::ptx::analysis
