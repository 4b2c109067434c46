#include "ptx/analysis/parameter_loads.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "ptx/analysis/access_solver.hpp"

namespace heddle::ptx::analysis {
namespace {

bool is_builtin(const std::string& name) {
  static constexpr std::array<std::string_view, 4> builtins{"vprintf", "malloc", "free", "__assertfail"};
  return std::find(builtins.begin(), builtins.end(), name) != builtins.end();
}

// A load that may wait for its bytes: what other loads of them see does not matter to it.
bool is_plain_load(const Instruction& inst, const MemoryEffect& effect) {
  return inst.opcode == Opcode::ld && inst.d.order == Order::weak && effect.operand == 1 && !effect.writes &&
         inst.operands[1].base == OperandKind::reg;
}

bool is_own(Space space) { return space == Space::shared || space == Space::local || space == Space::param; }

}  // namespace

bool calls_others(const Module& module, const Function& function) {
  constexpr std::size_t callee = 1;
  return std::any_of(function.body.begin(), function.body.end(), [&](const Instruction& inst) {
    if (inst.opcode != Opcode::call) return false;
    if (inst.operands.size() <= callee || inst.operands[callee].kind != OperandKind::symbol) return true;
    const SymbolRef& symbol = inst.operands[callee].symbol;
    return symbol.kind != SymbolRef::Kind::function || !is_builtin(module.functions[symbol.index].name);
  });
}

std::vector<ParameterLoads> find_parameter_loads(const Module& module, std::uint32_t number) {
  const Function& function = module.functions[number];
  std::vector<ParameterLoads> found(function.parameters.size());
  if (calls_others(module, function)) return found;
  const std::vector<AccessSummary> none(module.functions.size());
  AccessSolver solver(module, number, none);
  const AccessSummary summary = solver.solve();
  if (summary.reads_elsewhere || summary.writes_elsewhere) return found;
  for (const auto& [source, use] : summary.uses) {
    if (source.kind != Source::Kind::parameter || source.index >= found.size()) continue;
    const bool is_whole = source.offset == 0 && function.parameters[source.index].size() == 8;
    found[source.index].complete = is_whole && use.pointer && use.reads && !use.writes && !use.unknown;
  }
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Instruction& inst = function.body[i];
    for_each_memory_effect(inst, [&](MemoryEffect effect) {
      if (effect.space == Space::generic)
        effect.space = space_of(module, function, inst, inst.operands[effect.operand]);
      if (is_own(effect.space)) return;
      const std::vector<Source> sources = solver.pointed_to(i, effect.operand);
      for (const Source& source : sources) {
        if (source.kind != Source::Kind::parameter) continue;
        ParameterLoads& parameter = found[source.index];
        if (sources.size() == 1 && is_plain_load(inst, effect))
          parameter.loads.push_back(i);
        else
          parameter.complete = false;
      }
    });
  }
  return found;
}

}  // namespace heddle::ptx::analysis
