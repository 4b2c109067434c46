// What an instruction does to the memory behind each of its address operands.
#pragma once

#include <cstdint>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct MemoryEffect {
  std::uint16_t operand = 0;
  Space space = Space::generic;  // that the address is of
  bool reads = false, writes = false;
  bool described = false;  // the address is of a tensor map: the memory accessed is what the map describes
  bool handle = false;     // a texture or surface, which is no address of memory
};

// Calls f(MemoryEffect) for each address operand that is accessed; texture and surface handles among them. Prefetches
// and instructions that only compute with addresses access nothing.
template <class F>
void for_each_memory_effect(const Instruction& inst, F&& f);

// The same, with the space of the variable where a generic address names one.
template <class F>
void for_each_memory_effect(const Module& module, const Function& function, const Instruction& inst, F&& f);

// The space of an address operand: that of the instruction, or of the variable that a generic address names.
Space space_of(const Module& module, const Function& function, const Instruction& inst, const Operand& address);

// Memory of the space belongs to one thread or one block: no other block sees what is written there.
inline bool is_block_private(Space space) {
  return space == Space::shared || space == Space::local || space == Space::param;
}

// The instruction reads and writes memory in one step: atom, red, multimem.red, red.async.
bool is_atomic(const Instruction& inst);

namespace detail {
struct EffectList {
  MemoryEffect items[4];
  unsigned count = 0;
  void add(MemoryEffect effect) { items[count++] = effect; }
};
EffectList memory_effects(const Instruction& inst);
}  // namespace detail

template <class F>
void for_each_memory_effect(const Instruction& inst, F&& f) {
  const detail::EffectList list = detail::memory_effects(inst);
  for (unsigned i = 0; i < list.count; ++i) f(list.items[i]);
}

template <class F>
void for_each_memory_effect(const Module& module, const Function& function, const Instruction& inst, F&& f) {
  for_each_memory_effect(inst, [&](MemoryEffect effect) {
    if (effect.space == Space::generic) effect.space = space_of(module, function, inst, inst.operands[effect.operand]);
    f(effect);
  });
}

}  // namespace heddle::ptx::analysis
