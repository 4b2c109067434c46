// f16, f16x2, bf16 and bf16x2 arithmetic, and f32 arithmetic with such operands. Values are widened, computed in f32
// and rounded once more to 16 bits. The two roundings give what one would: f32 has at least twice the significand of
// either format and two bits more, which makes rounding twice harmless for sums and products, subnormal results
// included. A fused multiply-add needs more care, see fused().
#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

struct Format16 {
  std::uint64_t infinity, one;
};
constexpr Format16 f16_constants{0x7c00, 0x3c00}, bf16_constants{0x7f80, 0x3f80};
constexpr std::uint64_t canonical_nan = 0x7fff;

const Format16& constants_of(Type part) { return part == Type::f16 ? f16_constants : bf16_constants; }

Value* is_nan16(Lowering& l, Type part, Value* x) {
  return l.b.CreateICmpUGT(l.b.CreateAnd(x, 0x7fff), Kit::number(x, constants_of(part).infinity));
}

// Rounds a sum or product to 16 bits, flushing results that would be subnormal if rounded to full precision (see
// Kit::flush_by): those of an f16 scaled up by 2^10, so that nothing is subnormal, tell.
Value* narrow_and_flush(Lowering& l, Type part, Value* value) {
  Value* result = l.narrow16(part, value);
  if (!l.d.ftz || part != Type::f16) return result;
  constexpr unsigned scale = 10, exponent_place = 10;
  Value* scaled = l.narrow16(part, l.b.CreateFMul(value, Kit::real(value, 1 << scale)));
  Value* small = l.b.CreateICmpULT(l.b.CreateAnd(scaled, 0x7fff), Kit::number(scaled, (scale + 1) << exponent_place));
  return l.b.CreateSelect(small, l.b.CreateAnd(result, 0x8000), result);
}

// x*y + z, rounded once to 16 bits. The product is exact in f64 (in f32 it is for f16 but could underflow for bf16);
// the sum is rounded to odd: cut off, with the last bit set if anything was lost, so that the final rounding sees the
// right side of every tie. The error of the sum, which tells, comes from the classical two-sum.
Value* fused(Lowering& l, Type part, Value* x, Value* y, Value* z) {
  llvm::IRBuilder<>& b = l.b;
  llvm::Type* working = part == Type::f16 ? l.f32_type(x) : l.f64_type(x);
  const auto widen = [&](Value* v) {
    Value* wide = l.widen16(part, v);
    return wide->getType() == working ? wide : b.CreateFPExt(wide, working);
  };
  Value* product = b.CreateFMul(widen(x), widen(y));
  Value* addend = widen(z);
  Value* sum = b.CreateFAdd(product, addend);
  Value* part_of_sum = b.CreateFSub(sum, product);
  Value* error = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, part_of_sum)), b.CreateFSub(addend, part_of_sum));
  Value* pattern = l.bits(sum);
  Value* zero = Kit::real(error, 0);
  // An error of the other sign means that rounding went past the value in magnitude: step back, then set the last bit.
  Value* differs = b.CreateICmpSLT(b.CreateXor(l.bits(error), pattern), Kit::number(pattern, 0));
  Value* inexact = b.CreateFCmpONE(error, zero);
  Value* back = b.CreateZExt(b.CreateAnd(differs, inexact), pattern->getType());
  Value* odd = b.CreateOr(b.CreateSub(pattern, back), b.CreateZExt(inexact, pattern->getType()));
  return narrow_and_flush(l, part, l.as_float(odd));
}

Value* finish(Lowering& l, Type part, Value* result) {
  llvm::IRBuilder<>& b = l.b;
  Value* nan = is_nan16(l, part, result);
  if (l.d.sat || l.d.relu) result = l.binary(Intrinsic::smax, result, Kit::number(result, 0));
  if (l.d.sat) result = l.binary(Intrinsic::smin, result, Kit::number(result, constants_of(part).one));
  return b.CreateSelect(nan, Kit::number(result, l.d.sat ? 0 : canonical_nan), result);
}

// Minimum by the order of the patterns as integers, once negative ones are turned round.
Value* minimum(Lowering& l, Type part, Value* x, Value* y) {
  llvm::IRBuilder<>& b = l.b;
  Value* sign = b.CreateAnd(b.CreateXor(x, y), 0x8000);
  if (l.d.xorsign_abs) {
    x = b.CreateAnd(x, 0x7fff);
    y = b.CreateAnd(y, 0x7fff);
  }
  Value* x_nan = is_nan16(l, part, x);
  Value* y_nan = is_nan16(l, part, y);
  const auto key = [&](Value* v) { return b.CreateXor(v, b.CreateAnd(b.CreateAShr(v, 15), 0x7fff)); };
  Value* x_first = l.inst.opcode == Opcode::max ? b.CreateICmpSGT(key(x), key(y)) : b.CreateICmpSLT(key(x), key(y));
  Value* result = b.CreateSelect(x_first, x, y);
  Value* bad = b.CreateAnd(x_nan, y_nan);
  if (l.d.nan) {
    bad = b.CreateOr(x_nan, y_nan);
  } else {
    result = b.CreateSelect(y_nan, x, b.CreateSelect(x_nan, y, result));
  }
  if (l.d.xorsign_abs) result = b.CreateOr(result, sign);
  return b.CreateSelect(bad, Kit::number(result, canonical_nan), result);
}

// `result`, but the canonical NaN where x is a NaN.
Value* with_one_nan(Lowering& l, Type part, Value* x, Value* result) {
  return l.b.CreateSelect(is_nan16(l, part, x), Kit::number(x, canonical_nan), result);
}

Value* compute(Lowering& l, Type part, llvm::ArrayRef<Value*> v) {
  llvm::IRBuilder<>& b = l.b;
  const auto wide = [&](unsigned i) { return l.widen16(part, v[i]); };
  switch (l.inst.opcode) {
    case Opcode::abs: return with_one_nan(l, part, v[0], b.CreateAnd(v[0], 0x7fff));
    case Opcode::neg: return with_one_nan(l, part, v[0], b.CreateXor(v[0], 0x8000));
    case Opcode::min:
    case Opcode::max: return minimum(l, part, v[0], v[1]);
    case Opcode::add: return finish(l, part, narrow_and_flush(l, part, b.CreateFAdd(wide(0), wide(1))));
    case Opcode::sub: return finish(l, part, narrow_and_flush(l, part, b.CreateFSub(wide(0), wide(1))));
    case Opcode::mul: return finish(l, part, narrow_and_flush(l, part, b.CreateFMul(wide(0), wide(1))));
    case Opcode::fma: return finish(l, part, fused(l, part, v[0], v[1], v[2]));
    case Opcode::ex2:
      return with_one_nan(l, part, v[0], l.flush16(part, l.narrow16(part, approximate_ex2(l, wide(0))), l.d.ftz));
    case Opcode::tanh: return with_one_nan(l, part, v[0], l.narrow16(part, approximate_tanh(l, wide(0))));
    default: l.refuse("the CPU device has no such 16-bit floating-point operation");
  }
}

// add, sub and fma with f32 results and some 16-bit operands, which are exact in f32.
Value* lower_mixed(Lowering& l) {
  llvm::SmallVector<Value*, 3> values;
  const unsigned narrow = l.inst.opcode == Opcode::fma ? 2 : 1;
  for (unsigned i = 0; i < narrow + 1; ++i)
    values.push_back(i < narrow ? l.widen16(l.d.type2, l.use(i, l.d.type2)) : l.use(i, Type::f32));
  Value* result = rounded(l, l.inst.opcode, l.d.rounding, values);
  return l.d.sat ? l.saturate(result) : result;
}

}  // namespace

Values lower_half(Lowering& l) {
  if (l.inst.has(Modifier::oob)) l.refuse("out-of-bounds NaNs (.oob) are not done");
  if (l.d.type == Type::f32) return {lower_mixed(l)};
  const Type part = ptx::element(l.d.type);
  const bool packed = part != l.d.type;
  llvm::SmallVector<Value*, 3> values;
  for (unsigned i = 0; i < l.operands.size(); ++i) {
    if (!l.has(i)) continue;
    Value* value = l.use(i, l.d.type);
    if (packed) value = l.unpack(value, l.b.getInt16Ty());
    values.push_back(l.flush16(part, value, l.d.ftz));
  }
  Value* result = compute(l, part, values);
  return {packed ? l.pack(result, l.carrier_of(l.d.type)) : result};
}

}  // namespace heddle::device::cpu
