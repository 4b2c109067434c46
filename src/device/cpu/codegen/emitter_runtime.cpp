#include "device/cpu/codegen/emitter_runtime.hpp"

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

llvm::Value* RuntimeAccess::field(Value* object, std::size_t offset, llvm::Type* type) {
  auto* load = b_.CreateLoad(type, b_.CreateConstGEP1_64(kernel_.abi.i8, object, offset));
  // A launch does not change while it runs; a warp's context does.
  if (object != inputs_.warp)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(kernel_.llvm, {}));
  return load;
}

llvm::Value* RuntimeAccess::block_context() {
  return field(inputs_.warp, offsetof(WarpContext, block), kernel_.abi.pointer);
}

llvm::Value* RuntimeAccess::table() {
  return field(inputs_.launch, offsetof(LaunchContext, runtime), kernel_.abi.pointer);
}

llvm::Value* RuntimeAccess::variable_pointer(std::uint32_t index) {
  Value* table = field(inputs_.launch, offsetof(LaunchContext, variables), kernel_.abi.pointer);
  return field(table, index * sizeof(void*), kernel_.abi.pointer);
}

llvm::CallInst* RuntimeAccess::call(std::size_t offset, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  Value* function = field(table(), offset, kernel_.abi.pointer);
  return b_.CreateCall(llvm::FunctionType::get(result, types, false), function, arguments);
}

void RuntimeAccess::note_line(const ptx::Instruction& inst) {
  Value* place = b_.CreateConstGEP1_64(kernel_.abi.i8, inputs_.warp, offsetof(WarpContext, line));
  b_.CreateStore(b_.getInt32(inst.where.line), place);
}

void RuntimeAccess::bad_jump(const ptx::Instruction& inst, Value* scalar_target, Value* mask, Value* vector_target) {
  Value* lane = first_lane(mask);
  if (!scalar_target) scalar_target = lanes() == 1 ? vector_target : b_.CreateExtractElement(vector_target, lane);
  note_line(inst);
  call(offsetof(RuntimeTable, bad_jump), b_.getVoidTy(),
       {inputs_.warp, lane, b_.CreateZExtOrTrunc(scalar_target, kernel_.abi.i64)});
}

}  // namespace heddle::device::cpu
