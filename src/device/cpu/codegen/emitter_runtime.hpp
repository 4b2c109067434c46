// Access to what the runtime gives to compiled code: fields of the launch's and the warp's contexts (../abi.hpp), and
// calls through the runtime's table.
#pragma once

#include <cstddef>

#include "device/cpu/codegen/emitter_part.hpp"

namespace heddle::device::cpu {

class RuntimeAccess : private EmitterPart {
 public:
  explicit RuntimeAccess(FunctionContext& context) : EmitterPart(context) {}

  Value* field(Value* object, std::size_t offset, llvm::Type* type);
  Value* block_context();
  Value* table();                                // RuntimeTable*
  Value* variable_pointer(std::uint32_t index);  // of a module variable

  // Calls the function at `offset` in the runtime's table.
  llvm::CallInst* call(std::size_t offset, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
  // The line of the instruction that a runtime call is made for, for messages.
  void note_line(const ptx::Instruction& inst);
  // Ends the launch: a jump or call of the first lane of `mask` has a target that does not exist. The target is a
  // scalar or, where that is null, a vector.
  void bad_jump(const ptx::Instruction& inst, Value* scalar_target, Value* mask, Value* vector_target = nullptr);
};

}  // namespace heddle::device::cpu
