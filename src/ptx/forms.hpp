// What the suffixes and operands of each instruction may be. One table (form_table.cpp) describes every form of every
// instruction; the parser decodes with it, the verifier checks with it, analyses ask it for definitions and uses, and
// the support table in docs/ is generated from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/ir.hpp"

namespace heddle::ptx {

enum class Role : std::uint8_t {
  def,      // register (or vector of registers) that is written
  use,      // register, immediate, special register or vector that is read
  def_use,  // read and written
  address,  // memory address; its base register is read
  label,    // branch target
  callee,   // function symbol or register
  list,     // parenthesised call arguments or results
};

struct Slot {
  Role role = Role::use;
  Type type = Type::none;  // resolved for this instruction; for a vector operand the element type
  bool optional = false;
};

struct SlotList {
  std::array<Slot, 12> items{};
  unsigned size = 0;
  const Slot* begin() const { return items.data(); }
  const Slot* end() const { return items.data() + size; }
  const Slot& operator[](unsigned i) const { return items[i]; }
};

// The slots of an instruction, with types resolved by its suffixes; as many as inst.operands.
SlotList slots(const Instruction& inst);

// Calls f(register index, Slot) for each register the instruction writes, elements of vectors included; a guard does
// not change this (a guarded definition may leave the old value).
template <class F>
void for_each_def(const Instruction& inst, F&& f);
// Calls f(register index, Slot) for each register it reads: sources, address bases, guard (a pred slot), call
// arguments.
template <class F>
void for_each_use(const Instruction& inst, F&& f);

}  // namespace heddle::ptx

#include "ptx/forms_inl.hpp"
