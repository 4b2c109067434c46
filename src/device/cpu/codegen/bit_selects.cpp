#include "device/cpu/codegen/bit_selects.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace heddle::device::cpu {

namespace {

namespace match = llvm::PatternMatch;

// (old & kept) | bits; false when `value` is something else.
bool keeps_bits(llvm::Value* value, llvm::Value* old, llvm::Constant*& kept, llvm::Value*& bits) {
  return match::match(
      value, match::m_c_Or(match::m_c_And(match::m_Specific(old), match::m_ImmConstant(kept)), match::m_Value(bits)));
}

void rewrite(llvm::SelectInst& select) {
  llvm::Value* old = select.getFalseValue();
  llvm::Constant* kept = nullptr;
  llvm::Value* bits = nullptr;
  const bool changes_where_true = keeps_bits(select.getTrueValue(), old, kept, bits);
  if (!changes_where_true) {
    old = select.getTrueValue();
    if (!keeps_bits(select.getFalseValue(), old, kept, bits)) return;
  }
  llvm::IRBuilder<> b(&select);
  llvm::Value* others = b.CreateAnd(old, llvm::ConstantExpr::getNot(kept));
  llvm::Value* chosen = changes_where_true ? b.CreateSelect(select.getCondition(), bits, others)
                                           : b.CreateSelect(select.getCondition(), others, bits);
  select.replaceAllUsesWith(b.CreateOr(b.CreateAnd(old, kept), chosen));
  select.eraseFromParent();
}

}  // namespace

void unmask_bit_selects(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
        if (select->getCondition()->getType()->isVectorTy() && select->getType()->isIntOrIntVectorTy())
          rewrite(*select);
}

}  // namespace heddle::device::cpu
