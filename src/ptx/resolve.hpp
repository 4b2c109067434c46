// The interface between the parser and the table of instruction forms: the parser reads an instruction as written
// (mnemonic, suffixes, guard, a list of operands); resolve() finds the form that fits, decodes the suffixes into
// Instruction::d and puts the operands into the form's slots.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ptx/instruction.hpp"
#include "ptx/written_operand.hpp"

namespace heddle::ptx {

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
