// Keeps minima and maxima of single halves out of calls to a C library, which kernels do not have.
//
// LLVM 19 makes fmaxf of select(x > 0, x, 0) for one half, where the CPU has no instructions for halves, and fminf
// likewise. Vectors of halves become vectors of floats.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::device::cpu {

// Selects between the bits of single halves instead, the same value. For after all other passes.
void select_half_bits(llvm::Module& module);

}  // namespace heddle::device::cpu
