// Products of matrices that a warp computes together (mma.sync, wmma.mma).
//
// PTX leaves the order of the sums open, and GPUs round them otherwise than any simple rule. Here each element starts
// as that of c and adds the products in the order of k:
//   f16, bf16, tf32, e4m3, e5m2   in f32: the product is rounded (that of f16 is exact), then the sum, both to nearest;
//                                 a result of f16 is rounded once more at the end. Of tf32 the upper 19 bits count.
//   f64                           by fma, rounded as the instruction says
//   integers, b1                  exactly; at the end the low 32 bits, or clamped where .satfinite is given
// NaN results of f16 and f32 are canonical. With .satfinite they become zero, and infinities the largest number.
#pragma once

#include "ptx/matrix.hpp"

namespace heddle::ptx::semantics {

// Fragments lie register by register, each with its 32 lanes: register r of lane l of `a` is element 32 r + l of an
// array of 32-bit words, or of 64-bit words where the type is f64. `d` may be `c`. In any thread.
void multiply_matrices(const MatrixProduct& product, const void* a, const void* b, const void* c, void* d);

}  // namespace heddle::ptx::semantics
