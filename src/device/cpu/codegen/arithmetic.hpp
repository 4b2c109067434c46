// LLVM IR for arithmetic, logic, comparison and conversion instructions: everything whose result in a lane depends only
// on that lane's operands. Works on scalars (uniform values) and on vectors of any number of lanes alike.
#pragma once

#include <functional>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include "device/cpu/codegen/arithmetic_types.hpp"
#include "ptx/instruction.hpp"

namespace heddle::device::cpu {

class ArithmeticEmitter {
 public:
  // `soft_function` gives a pointer value for the soft function of that number (codegen/soft_functions.def).
  ArithmeticEmitter(llvm::IRBuilder<>& builder, const HostFeatures& features,
                    std::function<llvm::Value*(unsigned number)> soft_function);

  // True for the opcodes emit() handles.
  static bool handles(ptx::Opcode opcode);

  // `operands` are the use slots in slot order (absent optional ones null), all scalar or all vectors of one length;
  // each may arrive as any carrier of the right width and is bitcast as needed (wider integers are truncated). A vector
  // operand is one value for each element, in order, and so is a vector result (mov's packing and unpacking; sinks
  // included). Predicates arrive with their negation (!p) applied; vmad's negated operands without. `active` (an i1 or
  // vector of i1, null: all) only serves to keep lanes that do not take part from trapping. `carry` is the condition
  // code register of the lane(s), read by addc, subc, madc and replaced when the instruction has .cc. Returns one value
  // for each def slot, as the carrier of the slot's type. Throws heddle::Error (unsupported), with the instruction and
  // its line, for forms it cannot do.
  llvm::SmallVector<llvm::Value*, 2> emit(const ptx::Instruction& inst, llvm::ArrayRef<llvm::Value*> operands,
                                          llvm::Value* active, llvm::Value*& carry);

 private:
  llvm::IRBuilder<>& b_;
  HostFeatures features_;
  std::function<llvm::Value*(unsigned)> soft_function_;
};

}  // namespace heddle::device::cpu
