// One instruction on given operand values: everything in PTX whose result depends on its operands (and the condition
// code) alone. Devices are compared with this, and the interpreter executes with it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

// The bits of a register. `hi` counts only for 128-bit types.
struct Value {
  std::uint64_t lo = 0, hi = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

// A source operand; optional ones may be absent.
struct Argument {
  Value value;
  bool present = true;
};

// True for the opcodes that evaluate() computes.
bool evaluates(Opcode opcode);

// `uses` are the values of the instruction's use slots in slot order, negations (!p) already applied. `carry` is the
// condition code, read by addc, subc and madc and written by .cc. Returns the values of the def slots, in slot order
// (an absent second result is computed all the same). Results are in the low bits of their type, the bits above zero.
// Throws Error(unsupported) with the instruction's name for forms that it does not know. Pure; safe in any thread.
std::array<Value, 2> evaluate(const Instruction& inst, std::span<const Argument> uses, bool& carry);

}  // namespace heddle::ptx::semantics
