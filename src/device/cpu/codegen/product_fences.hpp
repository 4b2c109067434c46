// Products of vectors whose bits LLVM does not look into, in code that is too large for that.
//
// To combine an addition or a multiplication, LLVM's instruction selection asks which bits of its operands are known,
// through six operations each (SelectionDAG::MaxRecursionDepth). Where products are made of products, these are 64
// paths from every node, and most of the time of compiling.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::device::cpu {

// Puts llvm.arithmetic.fence, which costs no instruction, behind each product of vectors of 32 or 64 bits whose factors
// are no results of extensions, masks or shifts: nothing is known of its bits. For after all other passes.
void fence_products(llvm::Module& module);

}  // namespace heddle::device::cpu
