#include "ptx/analysis/instruction_text.hpp"

namespace heddle::ptx::analysis {

std::string mnemonic(const Instruction& inst) {
  std::string text(name(inst.opcode));
  for (Modifier modifier : inst.modifiers) {
    text += '.';
    text += name(modifier);
  }
  return text;
}

std::string describe_instruction(const Function& function, std::uint32_t instruction) {
  const Instruction& inst = function.body[instruction];
  std::string text = mnemonic(inst);
  if (inst.where.line != 0) text += " in line " + std::to_string(inst.where.line);
  return text + " of " + function.name;
}

}  // namespace heddle::ptx::analysis
