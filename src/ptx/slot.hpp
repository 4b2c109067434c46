// Slots: the places of an instruction's operands, and what each operand is used for.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/type.hpp"

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

}  // namespace heddle::ptx
