// Instructions that passes make: their forms and what their suffixes mean.
#pragma once

#include <initializer_list>
#include <vector>

#include "ptx/instruction.hpp"

namespace heddle::ptx {

// For passes that make instructions: `inst` has an opcode, suffixes and one operand for each slot (trailing optional
// ones may be left out). Fills inst.form and inst.d. Throws heddle::Error (invalid_argument) when no form fits.
void decode(Instruction& inst);
Instruction make_instruction(Opcode opcode, std::initializer_list<Modifier> modifiers, std::vector<Operand> operands);

}  // namespace heddle::ptx
