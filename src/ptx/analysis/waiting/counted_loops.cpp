#include "ptx/analysis/waiting/counted_loops.hpp"

#include <algorithm>
#include <set>

namespace heddle::ptx::analysis {

CountedLoops::CountedLoops(const Function& function, const ControlFlowGraph& cfg, const Webs& webs,
                           const Slicer& slicer)
    : function_(function), cfg_(cfg), webs_(webs), slicer_(slicer), dominators_(dominators(cfg)) {}

bool CountedLoops::contains(std::uint32_t loop) const {
  if (cfg_.loops()[loop].irreducible()) return false;
  return std::ranges::any_of(cfg_.loops()[loop].blocks, [&](std::uint32_t block) {
    if (!leaves(loop, block) || !is_in_each_turn(loop, block)) return false;
    const std::uint32_t condition = webs_.guard(cfg_.block(block).end - 1);
    if (condition == no_web) return false;
    const std::uint32_t test = only_definition(loop, condition);
    if (test == no_node || !is_in_each_turn(loop, cfg_.block_of(test))) return false;
    const Instruction& inst = function_.body[test];
    if (inst.opcode != Opcode::setp || inst.guard.present || inst.d.bool_op != BoolOp::none) return false;
    const auto first = static_cast<std::uint16_t>(inst.operands.size() - 2);
    for (const std::uint16_t operand : {first, static_cast<std::uint16_t>(first + 1)}) {
      const std::uint32_t web = webs_.use(test, operand);
      const auto other = static_cast<std::uint16_t>(2 * first + 1 - operand);
      if (web != no_web && is_counter(loop, web) && is_fixed(loop, test, other)) return true;
    }
    return false;
  });
}

bool CountedLoops::leaves(std::uint32_t loop, std::uint32_t block) const {
  if (!cfg_.block(block).decides) return false;
  return cfg_.block(block).exit != ExitKind::none ||
         std::ranges::any_of(cfg_.successors(block),
                             [&](std::uint32_t next) { return !cfg_.loop_contains(loop, next); });
}

// No way back to the loop's begin leaves the block out; nor is it in a loop within, whose turns are others.
bool CountedLoops::is_in_each_turn(std::uint32_t loop, std::uint32_t block) const {
  if (!cfg_.loop_contains(loop, block)) return false;
  return std::ranges::all_of(cfg_.predecessors(cfg_.loops()[loop].header), [&](std::uint32_t before) {
    return !cfg_.loop_contains(loop, before) || dominators_.dominates(block, before);
  });
}

// The only instruction of the loop that defines the web; no_node when there are several or none.
std::uint32_t CountedLoops::only_definition(std::uint32_t loop, std::uint32_t web) const {
  std::uint32_t only = no_node;
  for (const std::uint32_t i : slicer_.definitions(web)) {
    if (!cfg_.loop_contains(loop, cfg_.block_of(i))) continue;
    if (only != no_node) return no_node;
    only = i;
  }
  return only;
}

// Follows what the register is computed from until that is a register that has been met: one turn further.
bool CountedLoops::is_counter(std::uint32_t loop, std::uint32_t web) const {
  std::set<std::uint32_t> seen;
  bool steps = false;
  while (seen.insert(web).second) {
    const std::uint32_t i = only_definition(loop, web);
    if (i == no_node || !is_in_each_turn(loop, cfg_.block_of(i))) return false;
    const Instruction& inst = function_.body[i];
    const bool adds = inst.opcode == Opcode::add || inst.opcode == Opcode::sub;
    if (inst.guard.present || (!adds && inst.opcode != Opcode::mov) || inst.operands.size() < 2) return false;
    if (adds && steps) return false;  // of two steps one may take back the other
    if (adds) {
      const Operand& step = inst.operands[2];
      if (step.kind != OperandKind::integer || step.value == 0) return false;
      steps = true;
    }
    web = webs_.use(i, 1);
    if (web == no_web) return false;
  }
  return steps;
}

bool CountedLoops::is_fixed(std::uint32_t loop, std::uint32_t instruction, std::uint16_t operand) const {
  const Operand& value = function_.body[instruction].operands[operand];
  if (value.kind == OperandKind::integer) return true;
  const std::uint32_t web = webs_.use(instruction, operand);
  return web != no_web && std::ranges::none_of(slicer_.definitions(web), [&](std::uint32_t i) {
           return cfg_.loop_contains(loop, cfg_.block_of(i));
         });
}

}  // namespace heddle::ptx::analysis
