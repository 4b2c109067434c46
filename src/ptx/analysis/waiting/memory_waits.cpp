#include "ptx/analysis/waiting/memory_waits.hpp"

#include <algorithm>
#include <set>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/register_table.hpp"

namespace heddle::ptx::analysis {
namespace {

constexpr double turns = 8;  // of a loop
constexpr std::uint32_t deepest = 4;

bool is_access(const Instruction& inst) {
  bool found = false;
  for_each_memory_effect(inst, [&](const MemoryEffect& effect) {
    found = found || effect.space == Space::global || effect.space == Space::local || effect.space == Space::generic;
  });
  return found;
}

double weight_of(const ControlFlowGraph& cfg, std::uint32_t block) {
  const std::uint32_t loop = cfg.loop_of(block);
  double weight = 1;
  for (std::uint32_t depth = loop == no_node ? 0 : std::min(cfg.loops()[loop].depth, deepest); depth > 0; --depth)
    weight *= turns;
  return weight;
}

}  // namespace

double MemoryWaits::accesses_per_wait() const {
  return accesses == 0 ? 1 : std::max(1.0, accesses / std::max(waits, 1.0));
}

MemoryWaits find_memory_waits(const Function& function) {
  const ControlFlowGraph cfg(function);
  const RegisterTable table(function);
  MemoryWaits found;
  for (const std::uint32_t block : cfg.order()) {
    const double weight = weight_of(cfg, block);
    std::set<std::uint32_t> loading;  // registers
    for (std::uint32_t i = cfg.block(block).begin; i < cfg.block(block).end; ++i) {
      const bool access = is_access(function.body[i]);
      if (access) found.accesses += weight;
      bool waits = false;
      for (const RegisterOccurrence& occurrence : table.of(i))
        waits = waits || (!occurrence.is_def && loading.contains(occurrence.reg));
      // What was asked for before has come by then.
      if (waits) {
        found.waits += weight;
        loading.clear();
      }
      for (const RegisterOccurrence& occurrence : table.of(i)) {
        if (!occurrence.is_def) continue;
        if (access)
          loading.insert(occurrence.reg);
        else
          loading.erase(occurrence.reg);
      }
    }
    if (!loading.empty()) found.waits += weight;  // in a block after it
  }
  return found;
}

}  // namespace heddle::ptx::analysis
