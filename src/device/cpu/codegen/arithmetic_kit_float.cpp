// The floating-point half of Kit: flushing, rounding to whole numbers, min and max, and the 16-bit formats.
#include <cmath>

#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_kit.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Rounding;

namespace {

constexpr std::uint64_t f32_sign = 0x80000000, f32_exponent = 0x7f800000, canonical_nan32 = 0x7fffffff;

const llvm::ConstantFP* known_real(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value)) return constant;
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant || !constant->getType()->isVectorTy()) return nullptr;
  return llvm::dyn_cast_or_null<llvm::ConstantFP>(constant->getSplatValue());
}

}  // namespace

Value* Kit::flush(Value* value, bool ftz) {
  if (!ftz || value->getType()->getScalarType()->isDoubleTy()) return value;
  if (const llvm::ConstantFP* constant = known_real(value))
    if (!constant->getValueAPF().isDenormal()) return value;
  Value* pattern = bits(value);
  Value* small = b.CreateICmpEQ(b.CreateAnd(pattern, f32_exponent), number(pattern, 0));
  return as_float(b.CreateSelect(small, b.CreateAnd(pattern, f32_sign), pattern));
}

Value* Kit::flush_by(Value* value, Value* scaled) {
  Value* least = real(scaled, std::ldexp(1.0, flush_scale - 126));
  Value* small = b.CreateFCmpOLT(unary(llvm::Intrinsic::fabs, scaled), least);
  Value* pattern = bits(value);
  return as_float(b.CreateSelect(small, b.CreateAnd(pattern, f32_sign), pattern));
}

Value* Kit::flush16(ptx::Type type, Value* value, bool ftz) {
  if (!ftz) return value;
  const std::uint64_t exponent = type == ptx::Type::f16 ? 0x7c00 : 0x7f80;
  Value* small = b.CreateICmpEQ(b.CreateAnd(value, exponent), number(value, 0));
  return b.CreateSelect(small, b.CreateAnd(value, 0x8000), value);
}

Value* Kit::saturate(Value* value) {
  value = b.CreateSelect(b.CreateFCmpOGT(value, real(value, 0)), value, real(value, 0));
  return b.CreateSelect(b.CreateFCmpOLT(value, real(value, 1)), value, real(value, 1));
}

namespace {

// Without rounding instructions: adding and taking away a number whose last place is 1 rounds to the nearest whole
// number; the other directions correct that by 1. Numbers without fraction bits, infinities and NaNs pass through.
Value* to_whole_by_addition(Kit& kit, Value* value, Rounding mode) {
  llvm::IRBuilder<>& b = kit.b;
  const double magic = value->getType()->getScalarType()->isDoubleTy() ? 0x1p52 : 0x1p23;
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* nearest = b.CreateFSub(b.CreateFAdd(magnitude, Kit::real(value, magic)), Kit::real(value, magic));
  nearest = b.CreateCopySign(nearest, value);
  Value* one = Kit::real(value, 1);
  Value* zero = Kit::real(value, 0);
  Value* whole = nearest;
  if (mode == Rounding::rmi) whole = b.CreateFSub(nearest, b.CreateSelect(b.CreateFCmpOGT(nearest, value), one, zero));
  if (mode == Rounding::rpi) whole = b.CreateFAdd(nearest, b.CreateSelect(b.CreateFCmpOLT(nearest, value), one, zero));
  if (mode == Rounding::rzi) {
    Value* near = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, nearest);
    whole = b.CreateFSub(near, b.CreateSelect(b.CreateFCmpOGT(near, magnitude), one, zero));
  }
  whole = b.CreateCopySign(whole, value);
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, Kit::real(value, magic)), whole, value);
}

}  // namespace

Value* Kit::to_whole(Value* value, Rounding mode) {
  switch (mode) {
    case Rounding::rz: mode = Rounding::rzi; break;
    case Rounding::rm: mode = Rounding::rmi; break;
    case Rounding::rp: mode = Rounding::rpi; break;
    default: break;
  }
  // A host with fused multiply-add also rounds in hardware; older ones would call a library.
  if (!features.fma) return to_whole_by_addition(*this, value, mode);
  switch (mode) {
    case Rounding::rzi: return unary(llvm::Intrinsic::trunc, value);
    case Rounding::rmi: return unary(llvm::Intrinsic::floor, value);
    case Rounding::rpi: return unary(llvm::Intrinsic::ceil, value);
    default: return unary(llvm::Intrinsic::roundeven, value);
  }
}

namespace {

// x < y ? x : y or x > y ? x : y: one instruction on x86, which gives y when unordered.
Value* plain_minimum(Kit& kit, Value* x, Value* y, bool want_max) {
  Value* first = want_max ? kit.b.CreateFCmpOGT(x, y) : kit.b.CreateFCmpOLT(x, y);
  return kit.b.CreateSelect(first, x, y);
}

// What the minimum of two NaNs is: the canonical NaN; in f64 the second operand, made quiet.
Value* nan_of(Kit& kit, Value* x) {
  if (x->getType()->getScalarType()->isDoubleTy()) return kit.as_float(kit.b.CreateOr(kit.bits(x), 0x0008000000000000));
  return llvm::ConstantFP::get(x->getType(),
                               llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, canonical_nan32)));
}

}  // namespace

Value* Kit::minimum(Value* x, Value* y, bool want_max, bool nan) {
  Value* nan_operand = y;
  if (known_real(x) && !known_real(y)) std::swap(x, y);
  const llvm::ConstantFP* bound = known_real(y);
  if (bound && !bound->isNaN() && !nan) {
    // Only a zero can be equal to y without being the same; >= and <= then pick x, whatever its sign, when y is the
    // lesser (for max) or greater (for min) zero.
    const bool takes_ties = bound->isZero() && bound->isNegative() == want_max;
    if (!takes_ties) return plain_minimum(*this, x, y, want_max);
    Value* first = want_max ? b.CreateFCmpOGE(x, y) : b.CreateFCmpOLE(x, y);
    return b.CreateSelect(first, x, y);
  }
  Value* left = x;
  Value* right = y;
  if (!nan) {  // let the number stand on both sides
    left = b.CreateSelect(is_nan(x), y, x);
    right = b.CreateSelect(is_nan(y), left, y);
  }
  // The two orders differ only for zeros of different sign, which the bitwise operation resolves, and for NaNs.
  Value* one = bits(plain_minimum(*this, left, right, want_max));
  Value* other = bits(plain_minimum(*this, right, left, want_max));
  Value* result = as_float(want_max ? b.CreateAnd(one, other) : b.CreateOr(one, other));
  Value* bad = nan ? b.CreateFCmpUNO(x, y) : is_nan(left);
  return b.CreateSelect(bad, nan_of(*this, nan_operand), result);
}

Value* Kit::f32_from_f16(Value* half) {
  if (features.f16c) {
    return b.CreateFPExt(b.CreateBitCast(half, shaped(b.getHalfTy(), half)), f32_type(half));
  }
  Value* wide = b.CreateZExt(half, int_type(32, half));
  Value* sign = b.CreateShl(b.CreateAnd(wide, 0x8000), 16);
  // The fraction and exponent in f32's places, then the difference of the biases as an exact product.
  Value* magnitude = b.CreateShl(b.CreateAnd(wide, 0x7fff), 13);
  Value* scaled = bits(b.CreateFMul(as_float(magnitude), real(as_float(magnitude), 0x1p112)));
  Value* special = b.CreateICmpUGE(magnitude, number(magnitude, 0x7c00u << 13));
  scaled = b.CreateSelect(special, b.CreateOr(magnitude, f32_exponent), scaled);
  return as_float(b.CreateOr(scaled, sign));
}

Value* Kit::f16_from_f32(Value* value) {
  if (features.f16c) {
    return b.CreateBitCast(b.CreateFPTrunc(value, shaped(b.getHalfTy(), value)), int_type(16, value));
  }
  Value* pattern = bits(value);
  Value* sign = b.CreateLShr(b.CreateAnd(pattern, f32_sign), 16);
  Value* magnitude = b.CreateAnd(pattern, 0x7fffffff);
  // Subnormal results: adding 1/2 puts the last place of f16's subnormals at the last place of the sum.
  Value* sum = b.CreateFAdd(as_float(magnitude), real(value, 0.5));
  Value* small = b.CreateSub(bits(sum), number(pattern, 0x3f000000));
  // Normal ones: rebias, then round to nearest even by adding just under half of the last place, and the last bit.
  Value* odd = b.CreateAnd(b.CreateLShr(magnitude, 13), 1);
  Value* rounded = b.CreateAdd(b.CreateAdd(magnitude, number(pattern, 0xc8000fff)), odd);
  Value* normal = b.CreateLShr(rounded, 13);
  Value* result = b.CreateSelect(b.CreateICmpULT(magnitude, number(pattern, 0x38800000)), small, normal);
  Value* large = b.CreateSelect(b.CreateICmpUGT(magnitude, number(pattern, f32_exponent)), number(pattern, 0x7fff),
                                number(pattern, 0x7c00));
  result = b.CreateSelect(b.CreateICmpUGE(magnitude, number(pattern, 0x47800000)), large, result);
  return b.CreateTrunc(b.CreateOr(result, sign), int_type(16, value));
}

namespace {

// f64 to f32 for a further rounding to 16 bits: cut off, with the last bit set when anything was lost ("round to odd"),
// so that the second rounding sees which side of a tie the value is on. f32 has more than two bits to spare for either
// format. Values below f32's normal range keep only their sign and being non-zero: far below half of any 16-bit
// subnormal... except for bf16, whose subnormals reach as low as f32's; there the cut happens at f32's own last place.
Value* f32_to_odd(Kit& kit, Value* value) {
  llvm::IRBuilder<>& b = kit.b;
  Value* nearest = b.CreateFPTrunc(value, kit.f32_type(value));
  Value* back = b.CreateFPExt(nearest, kit.f64_type(value));
  Value* pattern = kit.bits(nearest);
  // Nearest went past the value in magnitude: step back. Then mark inexactness in the last bit.
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* back_magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back);
  Value* past = b.CreateZExt(b.CreateFCmpOGT(back_magnitude, magnitude), kit.int_type(32, value));
  Value* lost = b.CreateZExt(b.CreateFCmpONE(back, value), kit.int_type(32, value));
  return kit.as_float(b.CreateOr(b.CreateSub(pattern, past), lost));
}

// Of a NaN of f64 the sign and the first bits of the fraction, made quiet; of other numbers `rounded`, of 16 bits.
// `infinity`: the exponent of the format.
Value* keep_nan(Kit& kit, Value* value, Value* rounded, unsigned fraction_bits, std::uint64_t infinity) {
  llvm::IRBuilder<>& b = kit.b;
  Value* pattern = kit.bits(value);
  const std::uint64_t quiet = infinity | std::uint64_t{1} << (fraction_bits - 1);
  Value* sign = b.CreateAnd(b.CreateLShr(pattern, 48), 0x8000);
  Value* payload = b.CreateAnd(b.CreateLShr(pattern, 52 - fraction_bits), (std::uint64_t{1} << fraction_bits) - 1);
  Value* nan = b.CreateOr(b.CreateOr(sign, payload), quiet);
  return b.CreateSelect(kit.is_nan(value), b.CreateTrunc(nan, kit.int_type(16, value)), rounded);
}

}  // namespace

Value* Kit::f16_from_f64(Value* value) {
  Value* rounded = f16_from_f32(f32_to_odd(*this, value));
  return features.f16c ? rounded : keep_nan(*this, value, rounded, 10, 0x7c00);  // the instruction keeps it
}

Value* Kit::f32_from_bf16(Value* half) { return as_float(b.CreateShl(b.CreateZExt(half, int_type(32, half)), 16)); }

Value* Kit::bf16_from_f32(Value* value) {
  Value* pattern = bits(value);
  Value* odd = b.CreateAnd(b.CreateLShr(pattern, 16), 1);
  Value* rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(pattern, number(pattern, 0x7fff)), odd), 16);
  rounded = b.CreateSelect(is_nan(value), number(pattern, 0x7fff), rounded);
  return b.CreateTrunc(rounded, int_type(16, value));
}

Value* Kit::bf16_from_f64(Value* value) {
  return keep_nan(*this, value, bf16_from_f32(f32_to_odd(*this, value)), 7, 0x7f80);
}

Value* Kit::narrow16(ptx::Type type, Value* value) {
  const bool wide = value->getType()->getScalarType()->isDoubleTy();
  if (type == ptx::Type::f16) return wide ? f16_from_f64(value) : f16_from_f32(value);
  return wide ? bf16_from_f64(value) : bf16_from_f32(value);
}

}  // namespace heddle::device::cpu
