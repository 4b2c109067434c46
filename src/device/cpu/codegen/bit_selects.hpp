// Keeps the masks of lanes out of bit selects, which LLVM would get wrong.
//
// A register that lanes change under a mask, and of which they keep some bits (bfi, or and/or with constants), is
//   select(lanes, (old & kept) | bits, old)
// With AVX-512 LLVM up to version 21 makes one masked vpternlog of this, with the truth table of other operands: it
// selects by the value in place of the constant (llvm/llvm-project#157929, mended by #209782).
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::device::cpu {

// Rewrites each into (old & kept) | select(lanes, bits, old & ~kept), the same value. For after all other passes.
void unmask_bit_selects(llvm::Module& module);

}  // namespace heddle::device::cpu
