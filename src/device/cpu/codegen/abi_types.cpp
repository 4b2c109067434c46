#include "device/cpu/codegen/abi_types.hpp"

namespace heddle::device::cpu {

AbiTypes::AbiTypes(llvm::LLVMContext& context)
    : pointer(llvm::PointerType::get(context, 0)),
      i1(llvm::Type::getInt1Ty(context)),
      i8(llvm::Type::getInt8Ty(context)),
      i16(llvm::Type::getInt16Ty(context)),
      i32(llvm::Type::getInt32Ty(context)),
      i64(llvm::Type::getInt64Ty(context)) {}

}  // namespace heddle::device::cpu
