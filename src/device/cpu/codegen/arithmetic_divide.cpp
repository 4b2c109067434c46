// Integer division and remainder. Vector units have no integer division, but floating-point quotients are exact enough:
// when both operands are integers below 2^n, a correctly rounded quotient of a format with more than n bits, truncated,
// is the integer quotient (a quotient that is not whole is at least 1/divisor below the next whole number, and rounding
// moves it by less). So 16 bits go through f32, 32 bits through f64, and 64 bits through f64 with a correction.
//
// Division by zero gives all ones, and so does the remainder; the least value by -1 gives itself, remainder 0.
#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Opcode;

namespace {

// Quotient of unsigned values of at most 16 (in 16 or 32 bits) or at most 32 bits by floating point; divisors are not
// 0.
Value* quotient_by_float(Kit& kit, Value* x, Value* y, bool is_signed, llvm::Type* real_scalar) {
  llvm::IRBuilder<>& b = kit.b;
  llvm::Type* real = kit.shaped(real_scalar, x);
  if (is_signed) return b.CreateFPToSI(b.CreateFDiv(b.CreateSIToFP(x, real), b.CreateSIToFP(y, real)), x->getType());
  return b.CreateFPToUI(b.CreateFDiv(b.CreateUIToFP(x, real), b.CreateUIToFP(y, real)), x->getType());
}

// Unsigned 64-bit quotient. An estimate from rounded operands, made a little too small so that it never exceeds the
// quotient, leaves a remainder whose own quotient is small enough to be right to within one below; the last step adds
// that one.
Value* quotient_64(Kit& kit, Value* x, Value* y) {
  llvm::IRBuilder<>& b = kit.b;
  llvm::Type* real = kit.f64_type(x);
  llvm::Type* integer = x->getType();
  Value* divisor = b.CreateUIToFP(y, real);
  Value* inverse = b.CreateFDiv(Kit::real(divisor, 1.0 - 0x1p-50), divisor);
  Value* first = b.CreateFPToUI(b.CreateFMul(b.CreateUIToFP(x, real), inverse), integer);
  Value* rest = b.CreateSub(x, b.CreateMul(first, y));
  Value* second = b.CreateFPToUI(b.CreateFMul(b.CreateUIToFP(rest, real), inverse), integer);
  rest = b.CreateSub(rest, b.CreateMul(second, y));
  Value* one_more = b.CreateZExt(b.CreateICmpUGE(rest, y), integer);
  return b.CreateAdd(b.CreateAdd(first, second), one_more);
}

Value* signed_quotient_64(Kit& kit, Value* x, Value* y) {
  llvm::IRBuilder<>& b = kit.b;
  const auto magnitude = [&](Value* v) {
    return b.CreateIntrinsic(llvm::Intrinsic::abs, {v->getType()}, {v, b.getFalse()});
  };
  Value* quotient = quotient_64(kit, magnitude(x), magnitude(y));
  Value* sign = b.CreateAShr(b.CreateXor(x, y), 63);
  return b.CreateSub(b.CreateXor(quotient, sign), sign);
}

// x / y for y that is not 0 and, when signed, no -1 with the least x.
Value* quotient(Lowering& l, Value* x, Value* y, bool is_signed) {
  llvm::IRBuilder<>& b = l.b;
  const unsigned width = x->getType()->getScalarSizeInBits();
  // The processor divides scalars itself; without AVX-512 there are no vector conversions of 64-bit integers to gain
  // by.
  const bool plain = l.lanes == 0 || (width == 64 && !l.features.avx512);
  if (plain) return is_signed ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  if (width == 64) return is_signed ? signed_quotient_64(l, x, y) : quotient_64(l, x, y);
  if (width == 32) return quotient_by_float(l, x, y, is_signed, b.getDoubleTy());
  Value* wide = quotient_by_float(l, l.resize(x, 32, is_signed), l.resize(y, 32, is_signed), is_signed, b.getFloatTy());
  return b.CreateTrunc(wide, x->getType());
}

// Division by one known number stays as it is: LLVM makes multiplications of it.
bool is_good_constant(Lowering& l, Value* y, bool is_signed) {
  std::uint64_t value = 0;
  if (!l.is_known(1, value)) return false;
  const llvm::APInt divisor = llvm::APInt(64, value).trunc(y->getType()->getScalarSizeInBits());
  return !divisor.isZero() && !(is_signed && divisor.isAllOnes());
}

}  // namespace

Values lower_division(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  const bool is_signed = ptx::is_signed(l.d.type), remainder = l.inst.opcode == Opcode::rem;
  Value* x = l.use(0, l.d.type);
  Value* y = l.use(1, l.d.type);
  if (is_good_constant(l, y, is_signed)) {
    if (remainder) return {is_signed ? b.CreateSRem(x, y) : b.CreateURem(x, y)};
    return {is_signed ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y)};
  }
  // A lane that does not take part may hold anything, poison too: divide by 1 there.
  Value* zero = Kit::number(y, 0);
  Value* one = Kit::number(y, 1);
  Value* by_zero = b.CreateICmpEQ(y, zero);
  Value* harmless = by_zero;
  if (is_signed) {
    const unsigned width = y->getType()->getScalarSizeInBits();
    Value* least = b.CreateICmpEQ(x, llvm::ConstantInt::get(x->getType(), llvm::APInt::getSignedMinValue(width)));
    Value* minus_one = b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(y->getType()));
    harmless = b.CreateOr(harmless, b.CreateAnd(least, minus_one));
  }
  if (l.active) harmless = b.CreateOr(harmless, b.CreateNot(l.active));
  Value* divisor = b.CreateFreeze(b.CreateSelect(harmless, one, y));
  Value* result = quotient(l, x, divisor, is_signed);
  if (remainder) result = b.CreateSub(x, b.CreateMul(result, divisor));
  return {b.CreateSelect(by_zero, llvm::Constant::getAllOnesValue(y->getType()), result)};
}

}  // namespace heddle::device::cpu
