#include "ptx/analysis/access/parameter_loads.hpp"

#include "ptx/analysis/access/access_solver.hpp"
#include "ptx/analysis/effects/calls.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::ptx::analysis {
namespace {

// A load that may wait for its bytes: what other loads of them see does not matter to it.
bool is_plain_load(const Instruction& inst, const MemoryEffect& effect) {
  return inst.opcode == Opcode::ld && inst.d.order == Order::weak && effect.operand == 1 && !effect.writes &&
         inst.operands[1].base == OperandKind::reg;
}

}  // namespace

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
    for_each_memory_effect(module, function, inst, [&](const MemoryEffect& effect) {
      if (is_block_private(effect.space)) return;
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
