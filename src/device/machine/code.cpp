#include "device/machine/code.hpp"

#include <algorithm>

#include "device/machine/row_decode.hpp"

namespace heddle::device::machine {

using ptx::Instruction;
using ptx::Opcode;

Code decode(const ptx::Function& function, std::uint32_t index) {
  Code code;
  code.function = &function;
  code.index = index;
  code.operations.reserve(function.body.size());
  for (const Instruction& inst : function.body) code.operations.push_back(decode(inst));
  code.frame = frame_layout(function);
  code.wide = std::any_of(function.registers.begin(), function.registers.end(),
                          [](const ptx::Register& reg) { return ptx::bit_width(reg.type) > 64; });
  if (!code.wide)
    for (Operation& operation : code.operations) operation.row = row_op(operation, function);
  code.uses_stack = std::any_of(function.body.begin(), function.body.end(), [](const Instruction& inst) {
    return inst.opcode == Opcode::call || inst.opcode == Opcode::alloca;
  });
  return code;
}

}  // namespace heddle::device::machine
