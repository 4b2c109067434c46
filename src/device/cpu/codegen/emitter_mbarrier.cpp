#include "device/cpu/codegen/emitter_mbarrier.hpp"

#include <llvm/IR/Constants.h>

#include "ptx/semantics/mbarrier.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Type;
using ptx::semantics::MbarrierOperation;

namespace {

Type argument_type(MbarrierOperation operation) {
  return operation == MbarrierOperation::test_state ? Type::b64 : Type::u32;
}

bool is_test(MbarrierOperation operation) {
  return operation == MbarrierOperation::test_state || operation == MbarrierOperation::test_parity;
}

}  // namespace

void MbarrierInstructions::emit(const ptx::Instruction& inst) {
  if (!inst.has(Modifier::pending_count)) return update(inst);
  const bool scalar = results_scalar(inst);
  Value* state =
      scalar ? registers_.lane0(inst.operands[1], Type::b64) : registers_.vector(inst.operands[1], Type::b64);
  llvm::Type* narrow = state->getType()->isVectorTy() ? vector_of(kernel_.abi.i32) : kernel_.abi.i32;
  Value* count = b_.CreateTrunc(b_.CreateAnd(state, (std::uint64_t{1} << 20) - 1), narrow);
  registers_.write_operand(inst.operands[0], Type::u32, count);
}

void MbarrierInstructions::update(const ptx::Instruction& inst) {
  const ptx::semantics::MbarrierUse use = ptx::semantics::mbarrier_use(inst);
  const ptx::Operand& place = inst.operands[use.address];
  const ptx::Space space = spaces_.effective_space(inst.d.space, place);
  Value* mask = registers_.instruction_mask(inst);
  if (kernel_.check) checks_.check_access(inst, place, space, sizeof(std::uint64_t), CheckedAccess::both, mask);
  llvm::Type* wide = lanes() == 1 ? kernel_.abi.i64 : vector_of(kernel_.abi.i64);
  Value* pointers = addresses_.lane_pointers(addresses_.of(place, space));
  Value* argument = nullptr;
  if (use.argument < inst.operands.size() && inst.operands[use.argument].present()) {
    argument = b_.CreateZExt(registers_.vector(inst.operands[use.argument], argument_type(use.operation)), wide);
  } else {
    argument = b_.getInt64(use.otherwise);
    if (lanes() > 1) argument = splat(argument);
  }
  Value* places = spill(pointers);
  Value* values = spill(argument);
  Value* bits = lanes() == 1 ? b_.getInt32(1) : b_.CreateZExtOrTrunc(mask_bits(mask_or_full(mask)), kernel_.abi.i32);
  runtime_.note_line(inst);
  runtime_.call(offsetof(RuntimeTable, mbarrier), b_.getVoidTy(),
                {inputs_.warp, places, values, bits, b_.getInt32(static_cast<std::uint32_t>(use.operation))});
  if (!use.has_result || !inst.operands[0].present()) return;
  Value* result = b_.CreateLoad(wide, values);
  if (is_test(use.operation)) {
    result = b_.CreateICmpNE(result, llvm::Constant::getNullValue(wide));
    return registers_.write_operand(inst.operands[0], Type::pred, result);
  }
  registers_.write_operand(inst.operands[0], Type::b64, result);
}

}  // namespace heddle::device::cpu
