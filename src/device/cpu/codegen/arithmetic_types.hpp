// The LLVM types that PTX values have, and what the host offers to compute with them.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>

#include "ptx/type.hpp"

namespace heddle::device::cpu {

// What the host's instruction set offers; decides between intrinsics and soft functions.
struct HostFeatures {
  bool avx512 = false;  // F, VL, BW, DQ
  bool fma = false;
  bool f16c = false;
};

// LLVM type that carries a PTX value: i1 for pred, float for f32, double for f64, iN for everything else (f16 and bf16
// are i16, packed types i32). `lanes` 0 gives the scalar.
llvm::Type* carrier(llvm::LLVMContext& context, ptx::Type type, unsigned lanes);

}  // namespace heddle::device::cpu
