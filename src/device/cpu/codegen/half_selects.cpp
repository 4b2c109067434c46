#include "device/cpu/codegen/half_selects.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace heddle::device::cpu {

void select_half_bits(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      if (select == nullptr || !select->getType()->isHalfTy() || !llvm::isa<llvm::FCmpInst>(select->getCondition()))
        continue;
      llvm::IRBuilder<> b(select);
      const auto bits = [&](llvm::Value* half) { return b.CreateBitCast(half, b.getInt16Ty()); };
      llvm::Value* const chosen =
          b.CreateSelect(select->getCondition(), bits(select->getTrueValue()), bits(select->getFalseValue()));
      select->replaceAllUsesWith(b.CreateBitCast(chosen, select->getType()));
      select->eraseFromParent();
    }
}

}  // namespace heddle::device::cpu
