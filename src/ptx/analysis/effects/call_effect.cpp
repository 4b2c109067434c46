#include "ptx/analysis/effects/call_effect.hpp"

#include <algorithm>

#include "ptx/analysis/effects/calls.hpp"

namespace heddle::ptx::analysis {

bool tests_mbarrier(const Instruction& inst) {
  return inst.opcode == Opcode::mbarrier && (inst.has(Modifier::test_wait) || inst.has(Modifier::try_wait));
}

bool exchanges(const Instruction& inst) {
  return inst.opcode == Opcode::atom && (inst.d.reduce == ReduceOp::exch || inst.d.reduce == ReduceOp::cas);
}

bool may_change_nothing(const PlaceFinder& places, const Instruction& atomic) {
  if (atomic.operands.size() < 3) return false;
  switch (atomic.d.reduce) {
    case ReduceOp::add:
    case ReduceOp::or_:
    case ReduceOp::xor_: return places.may_be(atomic.operands[2], 0);
    case ReduceOp::and_: return places.may_be(atomic.operands[2], -1) || places.may_be(atomic.operands[2], 0xffffffff);
    default: return false;
  }
}

bool finds_what_others_write(const PlaceFinder& places, const Instruction& inst) {
  if (tests_mbarrier(inst)) return true;
  if (inst.opcode == Opcode::atom) {
    const Operand& result = inst.operands[0];
    const bool used = result.kind == OperandKind::reg ? places.is_read(result.index) : result.kind != OperandKind::sink;
    return used && (exchanges(inst) || may_change_nothing(places, inst));
  }
  const bool strong = inst.d.order != Order::weak || inst.has(Modifier::cv);
  if (inst.opcode != Opcode::ld || !strong || inst.d.nc) return false;
  const Space space = places.loaded_place(inst).space;
  return space != Space::param && space != Space::local && space != Space::constant;
}

namespace {

void add_unknown(CallEffect& effect) {
  effect.finds = effect.global = effect.takes = effect.unknown = true;
  effect.writes.push_back({});
}

void add_writes(const Module& module, const Function& function, const PlaceFinder& places, const Instruction& inst,
                CallEffect& effect) {
  for_each_memory_effect(module, function, inst, [&](const MemoryEffect& access) {
    if (!access.writes || access.handle) return;
    MemoryPlace place = places.place(inst, access);
    if (place.space == Space::param) return;
    if (place.root && place.root->kind == SymbolRef::Kind::local_variable) {
      if (place.space == Space::local) return;
      place.root.reset();  // of another function: its number means nothing to the caller
    }
    // Atomics are of global and shared memory.
    if (is_atomic(inst) && place.space == Space::generic) {
      place.space = Space::global;
      effect.writes.push_back(place);
      place.space = Space::shared;
    }
    if (std::find(effect.writes.begin(), effect.writes.end(), place) == effect.writes.end())
      effect.writes.push_back(place);
  });
}

void add_function(const Module& module, std::uint32_t index, CallEffect& effect) {
  const Function& function = module.functions[index];
  const RegisterTable table(function);
  const PlaceFinder places(module, function, table);
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const Instruction& inst = function.body[i];
    add_writes(module, function, places, inst, effect);
    if (!finds_what_others_write(places, inst)) continue;
    effect.finds = true;
    effect.takes |= exchanges(inst);
    const bool shared = tests_mbarrier(inst) || places.loaded_place(inst).space == Space::shared;
    effect.global |= !shared;
    effect.finders.push_back({index, i});
  }
}

}  // namespace

CallEffect effect_of_call(const Module& module, const Function& function, const Instruction& call) {
  CallEffect effect;
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<std::uint32_t> work;
  const auto add_callees = [&](const Function& caller, const Instruction& inst) {
    const auto callees = possible_callees(module, caller, inst);
    if (callees.empty()) add_unknown(effect);
    for (std::uint32_t callee : callees)
      if (!seen[callee]) work.push_back(callee);
    for (std::uint32_t callee : callees) seen[callee] = true;
  };
  add_callees(function, call);
  while (!work.empty()) {
    const std::uint32_t f = work.back();
    work.pop_back();
    const Function& callee = module.functions[f];
    if (callee.is_declaration) {
      if (!is_builtin(callee)) add_unknown(effect);
      continue;
    }
    add_function(module, f, effect);
    for (const Instruction& inst : callee.body)
      if (inst.opcode == Opcode::call) add_callees(callee, inst);
  }
  return effect;
}

}  // namespace heddle::ptx::analysis
