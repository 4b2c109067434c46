#include "device/cpu/codegen/emitter_matrices.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Type;

namespace {

Type register_type(const ptx::MatrixProduct& product) { return product.a == Type::f64 ? Type::b64 : Type::b32; }

}  // namespace

void MatrixInstructions::multiply(const ptx::Instruction& inst) {
  const std::optional<ptx::MatrixProduct> product = ptx::matrix_product(inst);
  if (!product) refuse(inst, "matrices of these types and shapes are not supported by the CPU device");
  if (lanes() == 1) return multiply_met(inst, *product);
  if (lanes() != 32) refuse(inst, "a product of matrices needs whole warps");
  multiply_vectors(inst, *product);
}

void MatrixInstructions::multiply_vectors(const ptx::Instruction& inst, const ptx::MatrixProduct& product) {
  const Type type = register_type(product);
  llvm::Type* word = type == Type::b64 ? kernel_.abi.i64 : kernel_.abi.i32;
  llvm::Type* row = vector_of(word);
  Value* fragments[4] = {};  // d, a, b, c
  for (unsigned i = 0; i < 4; ++i) {
    const auto list = ptx::registers_of(inst.operands[i]);
    fragments[i] = entry_alloca(llvm::ArrayType::get(row, list.size()), "fragment");
    for (unsigned r = 0; i != 0 && r < list.size(); ++r)
      b_.CreateStore(b_.CreateBitCast(registers_.vector(list[r], type), row),
                     element_pointer(fragments[i], row, b_.getInt32(r)));
  }
  runtime_.call(offsetof(RuntimeTable, multiply), b_.getVoidTy(),
                {b_.getInt64(product.code()), fragments[1], fragments[2], fragments[3], fragments[0]});
  const auto results = ptx::registers_of(inst.operands[0]);
  for (unsigned r = 0; r < results.size(); ++r)
    registers_.write_operand(results[r], type, b_.CreateLoad(row, element_pointer(fragments[0], row, b_.getInt32(r))));
}

// Each lane leaves its registers in a record and meets the others; the first of them multiplies for all; all meet again
// before they read their results, so that no record goes while others use it.
void MatrixInstructions::multiply_met(const ptx::Instruction& inst, const ptx::MatrixProduct& product) {
  const Type type = register_type(product);
  llvm::Type* i64 = kernel_.abi.i64;
  auto* record = entry_alloca(llvm::ArrayType::get(i64, MatrixRecord::words), "matrices");
  const auto word = [&](unsigned fragment, unsigned r) {
    return element_pointer(record, i64, b_.getInt32(fragment * MatrixRecord::registers + r));
  };
  llvm::Type* bits = type == Type::b64 ? kernel_.abi.i64 : kernel_.abi.i32;
  for (unsigned i = 1; i < 4; ++i) {
    const auto list = ptx::registers_of(inst.operands[i]);
    for (unsigned r = 0; r < list.size(); ++r)
      b_.CreateStore(b_.CreateZExt(b_.CreateBitCast(registers_.lane0(list[r], type), bits), i64), word(i, r));
  }
  const auto meeting = met_.meet(inst, nullptr, b_.CreatePtrToInt(record, i64));
  Value* leader = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, meeting.present, b_.getTrue());
  auto* multiply = new_block("multiply");
  auto* done = new_block("multiplied");
  b_.CreateCondBr(b_.CreateICmpEQ(leader, special_.scalar(ptx::SpecialRegister::laneid)), multiply, done);
  b_.SetInsertPoint(multiply);
  runtime_.call(offsetof(RuntimeTable, multiply_records), b_.getVoidTy(),
                {b_.getInt64(product.code()), meeting.values, meeting.present});
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  met_.meet(inst, nullptr, b_.getInt64(0));
  const auto results = ptx::registers_of(inst.operands[0]);
  for (unsigned r = 0; r < results.size(); ++r)
    registers_.write_operand(results[r], type, b_.CreateZExtOrTrunc(b_.CreateLoad(i64, word(0, r)), bits));
}

}  // namespace heddle::device::cpu
