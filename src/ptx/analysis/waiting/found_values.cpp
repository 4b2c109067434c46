#include "ptx/analysis/waiting/found_values.hpp"

#include <algorithm>

#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::ptx::analysis {

FoundValues::FoundValues(const Module& module, const Function& function, const ControlFlowGraph& cfg, const Webs& webs,
                         const PostDominators& post, const PlaceFinder& places, const Effects& effects,
                         std::uint32_t loop, const std::vector<std::uint32_t>& finders)
    : module_(module),
      function_(function),
      cfg_(cfg),
      webs_(webs),
      post_(post),
      places_(places),
      effects_(effects),
      loop_(loop) {
  std::size_t before = 0, now = 1;
  while (before != now) {
    before = now;
    for (std::uint32_t b : cfg.loops()[loop].blocks) {
      for (std::uint32_t i = cfg.block(b).begin; i < cfg.block(b).end; ++i) {
        const bool finds = std::binary_search(finders.begin(), finders.end(), i);
        const bool depends = !written_.contains(i) && (decided_.contains(b) || reads_registers(i) || reads_memory(i));
        // What a finder leaves in memory depends on nothing that was found, but for a call's.
        if (depends || (finds && !dependent_.contains(i))) add(i, !depends);
      }
      const bool chooses = cfg.block(b).decides && written_.contains(cfg.block(b).end - 1);
      if (chooses) add_decided(b);
    }
    now = 1 + dependent_.size() + written_.size() + places_written_.size() + found_webs_.size() + decided_.size();
  }
}

bool FoundValues::reads_registers(std::uint32_t i) const {
  std::uint32_t at = webs_.table().first(i);
  for (const RegisterOccurrence& item : webs_.table().of(i)) {
    const std::uint32_t web = webs_.of_occurrences()[at++];
    if (!item.is_def && found_webs_.contains(web)) return true;
  }
  return false;
}

bool FoundValues::is_written(const MemoryPlace& place) const {
  return std::any_of(places_written_.begin(), places_written_.end(),
                     [&](const MemoryPlace& written) { return may_meet(written, place); });
}

bool FoundValues::reads_memory(std::uint32_t i) const {
  if (places_written_.empty()) return false;
  const Instruction& inst = function_.body[i];
  if (inst.opcode == Opcode::call) {
    if (inst.operands.size() < 3) return false;
    const auto& arguments = inst.operands[2].elements;
    return std::any_of(arguments.begin(), arguments.end(), [&](const Operand& argument) {
      return argument.kind == OperandKind::symbol && is_written(places_.variable(argument.symbol));
    });
  }
  bool found = false;
  for_each_memory_effect(module_, function_, inst, [&](const MemoryEffect& effect) {
    found |= effect.reads && !effect.handle && is_written(places_.place(inst, effect));
  });
  return found;
}

void FoundValues::add_place(const MemoryPlace& place) {
  if (std::find(places_written_.begin(), places_written_.end(), place) == places_written_.end())
    places_written_.push_back(place);
}

void FoundValues::add(std::uint32_t i, bool only_found) {
  dependent_.insert(i);
  std::uint32_t at = webs_.table().first(i);
  for (const RegisterOccurrence& item : webs_.table().of(i)) {
    const std::uint32_t web = webs_.of_occurrences()[at++];
    if (item.is_def) found_webs_.insert(web);
  }
  const Instruction& inst = function_.body[i];
  if (inst.opcode == Opcode::call) add_call(i);
  if (only_found) return;
  written_.insert(i);
  if (inst.opcode == Opcode::call) return;
  for_each_memory_effect(module_, function_, inst, [&](const MemoryEffect& effect) {
    if (effect.writes && !effect.handle) add_place(places_.place(inst, effect));
  });
}

void FoundValues::add_call(std::uint32_t i) {
  const Instruction& inst = function_.body[i];
  if (!inst.operands.empty())
    for (const Operand& result : inst.operands[0].elements)
      if (result.kind == OperandKind::symbol) add_place(places_.variable(result.symbol));
  for (const MemoryPlace& place : effects_(i).writes) add_place(place);
}

// Blocks of the loop that run or not as the branch at the end of `block` decides.
void FoundValues::add_decided(std::uint32_t block) {
  const std::uint32_t meet = post_.immediate(block);
  for (std::uint32_t b : cfg_.successors(block))
    for (; b != meet && b < cfg_.size() && cfg_.loop_contains(loop_, b); b = post_.immediate(b)) decided_.insert(b);
}

}  // namespace heddle::ptx::analysis
