#include "device/cpu/codegen/product_fences.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace heddle::device::cpu {
namespace {

// Bits of it may be known, and the multiplication narrower for that.
bool has_known_bits(const llvm::Value* factor) {
  if (llvm::isa<llvm::Constant, llvm::ZExtInst, llvm::SExtInst>(factor)) return true;
  const auto* const operation = llvm::dyn_cast<llvm::BinaryOperator>(factor);
  return operation != nullptr && (operation->isShift() || operation->isBitwiseLogicOp());
}

bool is_opaque_product(const llvm::Instruction& instruction) {
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (type == nullptr || instruction.getOpcode() != llvm::Instruction::Mul) return false;
  const unsigned bits = type->getScalarSizeInBits();
  return (bits == 32 || bits == 64) && !has_known_bits(instruction.getOperand(0)) &&
         !has_known_bits(instruction.getOperand(1));
}

// The fence takes numbers of floating point; it does not look at them.
void fence(llvm::Instruction& product) {
  const auto* const type = llvm::cast<llvm::FixedVectorType>(product.getType());
  llvm::IRBuilder<> b(product.getNextNode());
  llvm::Type* const element = type->getScalarSizeInBits() == 64 ? b.getDoubleTy() : b.getFloatTy();
  llvm::Type* const numbers = llvm::FixedVectorType::get(element, type->getNumElements());
  auto* const given = llvm::cast<llvm::Instruction>(b.CreateBitCast(&product, numbers));
  llvm::Value* const fenced =
      b.CreateBitCast(b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {numbers}, {given}), product.getType());
  product.replaceUsesWithIf(fenced, [&](const llvm::Use& use) { return use.getUser() != given; });
}

}  // namespace

void fence_products(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_opaque_product(instruction)) fence(instruction);
}

}  // namespace heddle::device::cpu
