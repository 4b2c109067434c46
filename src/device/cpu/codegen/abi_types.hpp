// LLVM types that go with ../abi.hpp. Fields of its structs are reached by offsetof: the C++ structs are the single
// description.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

struct AbiTypes {
  explicit AbiTypes(llvm::LLVMContext& context);
  llvm::PointerType* pointer;
  llvm::IntegerType *i1, *i8, *i16, *i32, *i64;
};

}  // namespace heddle::device::cpu
