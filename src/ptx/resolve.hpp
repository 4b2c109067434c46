// The seam between the parser and the table of instruction forms: the parser reads an instruction as text says it
// (mnemonic, suffixes, guard, a list of operands); resolve() finds the form that fits, decodes the suffixes into
// Instruction::d and puts the operands into the form's slots.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ptx/instruction.hpp"

namespace heddle::ptx {

// One operand as it was written. How the parser writes what is not obvious:
//   (a, b)            of call: a vector, `parenthesised`; `()` is an empty one
//   {a, _, b}         a vector whose elements may be sinks; vector registers are already vectors of scalars
//   !p, -r            the register with Operand::negated
//   a.b0, a.h1        the register with Operand::selector
//   [base+4, s, {..}] an address whose elements are the operands after the base, as written: a vector of coordinates, a
//                     single register, or a sampler followed by a vector
//   [a].unified       an address; Modifier::unified was appended to the instruction's modifiers
//   d|p               two operands, the second one `joined`
//   name              of a label or table that comes later in the text: OperandKind::label with a provisional index
//                     (patched afterwards; do not look at the index); otherwise what the name stands for
struct WrittenOperand {
  Operand operand;
  bool joined = false;         // follows the previous operand after a '|'
  bool parenthesised = false;  // a list in ( )
  std::uint32_t line = 0, column = 0;
  std::string_view text;  // its first token, for messages
};

// Why no form fits, and where: "found '.f31', expected a type" becomes file:line:column: found ..., expected ...
struct ResolveError {
  std::uint32_t line = 0, column = 0;
  std::string found, expected;
};

// `inst` has opcode, guard, modifiers and place set. On success fills inst.d and moves the operands of `written` into
// inst.operands (one for each slot; absent optional ones OperandKind::none) and returns nothing. Errors about a suffix
// are reported at inst.where. Pure; any number of threads may call it at once.
std::optional<ResolveError> resolve(Instruction& inst, std::span<WrittenOperand> written);

}  // namespace heddle::ptx
