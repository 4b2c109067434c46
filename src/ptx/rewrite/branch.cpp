#include "ptx/rewrite/branch.hpp"

namespace heddle::ptx {

Instruction branch_to(std::uint32_t label, const SourceLocation& where) {
  Instruction bra;
  bra.opcode = Opcode::bra;
  bra.where = where;
  Operand target;
  target.kind = OperandKind::label;
  target.index = label;
  bra.operands.push_back(target);
  return bra;
}

}  // namespace heddle::ptx
