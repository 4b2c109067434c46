#include "device/cpu/codegen/arithmetic_types.hpp"

namespace heddle::device::cpu {

using ptx::Type;

llvm::Type* carrier(llvm::LLVMContext& context, Type type, unsigned lanes) {
  llvm::Type* scalar = type == Type::f32   ? llvm::Type::getFloatTy(context)
                       : type == Type::f64 ? llvm::Type::getDoubleTy(context)
                                           : llvm::Type::getIntNTy(context, ptx::bit_width(type));
  return lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

}  // namespace heddle::device::cpu
