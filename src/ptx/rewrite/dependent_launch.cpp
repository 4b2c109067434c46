#include "ptx/rewrite/dependent_launch.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "ptx/analysis/effects/calls.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/lone_kernel.hpp"

namespace heddle::ptx {
namespace {

using analysis::ControlFlowGraph;
using analysis::MemoryEffect;

constexpr unsigned least_target = 90, least_version_major = 7, least_version_minor = 8;
// Code for older GPUs may count on the threads of a warp running in step.
constexpr unsigned oldest_target = 70;

bool uses_handles(const Instruction& inst) {
  bool found = false;
  analysis::for_each_memory_effect(inst, [&](const MemoryEffect& effect) { found = found || effect.handle; });
  return found;
}

// By addresses that it is given: they are places among the constants of its own module.
bool reads_constants(const Instruction& inst) {
  bool found = false;
  analysis::for_each_memory_effect(
      inst, [&](const MemoryEffect& effect) { found = found || effect.space == Space::constant; });
  return found;
}

// Functions that are no part of the body, and those whose addresses it takes: in another module they have variables and
// textures of their own, and who calls them through an address there counts on registers for others.
bool needs_functions(const Module& module, const Function& function) {
  return analysis::calls_others(module, function) ||
         std::any_of(module.functions.begin(), module.functions.end(),
                     [&](const Function& other) { return &other != &function && !other.is_declaration; });
}

const char* refusal(const Module& module, const Function& function) {
  const auto any = [&](auto&& is) { return std::any_of(function.body.begin(), function.body.end(), is); };
  if (target_number(module) < oldest_target || module.address_size != 64) return "its PTX is older than sm_70";
  if (uses_variables(module, function) || any(reads_constants)) return "it uses variables of its module";
  if (needs_functions(module, function)) return "it calls functions that are no part of its body";
  if (any([](const Instruction& inst) { return inst.opcode == Opcode::griddepcontrol; }))
    return "it has griddepcontrol of its own";
  if (any(uses_handles)) return "it reads textures or surfaces";
  return nullptr;
}

// Memory that other grids may see; and what ends a thread, or may do anything.
bool must_come_behind(const Module& module, const Function& function, const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::call:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::prefetch:  // would bring what is not written yet
    case Opcode::prefetchu: return true;
    case Opcode::cp:
      if (inst.has(Modifier::prefetch)) return true;
      break;
    case Opcode::fence:
      if (inst.has(Modifier::proxy_tensormap)) return true;  // of a tensor map that is not written yet
      break;
    default: break;
  }
  bool found = false;
  analysis::for_each_memory_effect(inst, [&](const MemoryEffect& effect) {
    Space space = effect.space;
    if (space == Space::generic) space = analysis::space_of(module, function, inst, inst.operands[effect.operand]);
    const bool own = space == Space::shared || space == Space::local || space == Space::param;
    found = found || !own || effect.described;
  });
  return found;
}

// Where to wait for instruction `index`: before it, or in front of the loops around it.
std::uint32_t place_of(const ControlFlowGraph& cfg, const analysis::DominatorTree& tree, std::uint32_t index) {
  std::uint32_t block = cfg.block_of(index), place = index;
  for (std::uint32_t loop = cfg.loop_of(block); loop != analysis::no_node; loop = cfg.loop_of(block)) {
    while (cfg.loops()[loop].parent != analysis::no_node) loop = cfg.loops()[loop].parent;
    block = tree.immediate(cfg.loops()[loop].header);
    if (block == analysis::no_node) return 0;
    place = cfg.block(block).end - 1;
  }
  return place;
}

// Without those that others come before on every way there.
std::set<std::uint32_t> needed_of(const ControlFlowGraph& cfg, const std::set<std::uint32_t>& places) {
  const auto has_place = [&](std::uint32_t block) {
    const auto first = places.lower_bound(cfg.block(block).begin);
    return first != places.end() && *first < cfg.block(block).end;
  };
  // Whether all ways to the begin of a block have waited.
  std::vector<bool> waited(cfg.size(), true);
  waited[cfg.order().front()] = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : cfg.order()) {
      const auto before = cfg.predecessors(block);
      const bool all = waited[block] && std::all_of(before.begin(), before.end(), [&](std::uint32_t predecessor) {
                         return !cfg.block(predecessor).reachable || waited[predecessor] || has_place(predecessor);
                       });
      if (all == waited[block]) continue;
      waited[block] = false;
      changed = true;
    }
  }
  std::set<std::uint32_t> needed;
  for (const std::uint32_t block : cfg.order()) {
    const auto first = places.lower_bound(cfg.block(block).begin);
    if (!waited[block] && has_place(block)) needed.insert(*first);
  }
  return needed;
}

// The instructions to wait in front of; the end of the body counts as one.
std::set<std::uint32_t> find_places(const Module& module, const Function& function) {
  const ControlFlowGraph cfg(function, &module);
  const analysis::DominatorTree tree = analysis::dominators(cfg);
  std::set<std::uint32_t> places;
  for (std::uint32_t i = 0; i < function.body.size(); ++i)
    if (cfg.block(cfg.block_of(i)).reachable && must_come_behind(module, function, function.body[i]))
      places.insert(place_of(cfg, tree, i));
  return needed_of(cfg, places);
}

void raise_version(Module& module) {
  if (version_number(module) < least_version_major * 10 + least_version_minor) {
    module.version_major = least_version_major;
    module.version_minor = least_version_minor;
  }
  if (target_number(module) >= least_target) return;
  for (std::string& name : module.targets)
    if (name.starts_with("sm_")) name = "sm_" + std::to_string(least_target);
}

}  // namespace

std::optional<Module> allow_dependent_launch(const Module& module, std::uint32_t entry, std::string& why) {
  std::uint32_t number = 0;
  Module alone = take_lone_kernel(module, entry, number);
  Function& function = alone.functions[number];
  if (const char* const reason = refusal(alone, function)) {
    why = reason;
    return std::nullopt;
  }
  const std::set<std::uint32_t> places = find_places(alone, function);
  BodyEditor editor(function, unused_stem(alone));
  for (std::uint32_t i = 0; i < editor.size(); ++i) {
    editor.begin(i);
    if (i == 0) editor.emit(Opcode::griddepcontrol, {Modifier::launch_dependents}, {});
    if (places.contains(i)) editor.emit(Opcode::griddepcontrol, {Modifier::wait}, {});
    Instruction inst = editor.take(i);
    drop_nc(inst);
    editor.emit(std::move(inst));
  }
  const bool runs_out = editor.reaches_end();
  editor.begin(editor.size());
  if (runs_out) editor.emit(Opcode::griddepcontrol, {Modifier::wait}, {});
  editor.finish();
  raise_version(alone);
  return alone;
}

}  // namespace heddle::ptx
