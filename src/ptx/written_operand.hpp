// Operands as the parser reads them, before they have places in the slots of a form.
#pragma once

#include <cstdint>
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

}  // namespace heddle::ptx
