#include "ptx/decode.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "heddle/error.hpp"
#include "ptx/decode_suffixes.hpp"
#include "ptx/form_match.hpp"

namespace heddle::ptx {

void decode(Instruction& inst) {
  const FormRange range = forms_of(inst.opcode);
  const std::size_t given = inst.operands.size();
  // Left out operands are tried from the longest form down to the shortest one that has room for those given.
  std::size_t most = given;
  for (const Form& form : range.forms) most = std::max<std::size_t>(most, form.slot_count);
  for (std::size_t n = given; n <= most; ++n) {
    inst.operands.resize(n);
    inst.form = find_form(inst);
    if (inst.form == no_form) continue;
    inst.d = decode_suffixes(inst.opcode, inst.modifiers);
    return;
  }
  inst.operands.resize(given);
  std::string text(name(inst.opcode));
  for (Modifier m : inst.modifiers) text += "." + std::string(name(m));
  throw Error(ErrorCode::invalid_argument, "No form of the instruction " + text + " takes the " +
                                               std::to_string(given) + " operands that were given to it.");
}

Instruction make_instruction(Opcode opcode, std::initializer_list<Modifier> modifiers, std::vector<Operand> operands) {
  Instruction inst;
  inst.opcode = opcode;
  for (Modifier m : modifiers) inst.modifiers.push_back(m);
  inst.operands = std::move(operands);
  decode(inst);
  return inst;
}

}  // namespace heddle::ptx
