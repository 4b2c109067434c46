// f32 and f64 arithmetic, each result rounded once as the instruction says. Rounding to nearest is what LLVM's own
// instructions do; other modes use AVX-512's embedded rounding, or a soft function.
#include <cmath>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

Value* to_nearest(llvm::IRBuilder<>& b, Opcode opcode, llvm::ArrayRef<Value*> v) {
  switch (opcode) {
    // Of two f64 NaNs a GPU gives the second, the host the first, unless LLVM exchanges the operands.
    case Opcode::add: return b.CreateFAdd(v[1], v[0]);
    case Opcode::sub: return b.CreateFSub(v[0], v[1]);
    case Opcode::mul: return b.CreateFMul(v[1], v[0]);
    case Opcode::div: return b.CreateFDiv(v[0], v[1]);
    case Opcode::rcp: return b.CreateFDiv(Kit::real(v[0], 1), v[0]);
    case Opcode::sqrt: return b.CreateUnaryIntrinsic(Intrinsic::sqrt, v[0]);
    default: return b.CreateIntrinsic(Intrinsic::fma, {v[0]->getType()}, v);
  }
}

// The operand of embedded rounding: bit 3 suppresses exceptions, the low bits are the mode.
unsigned embedded_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::rm: return 8 | 1;
    case Rounding::rp: return 8 | 2;
    case Rounding::rz: return 8 | 3;
    default: return 8;
  }
}

Intrinsic::ID embedded_intrinsic(Opcode opcode, bool wide) {
  switch (opcode) {
    case Opcode::add: return wide ? Intrinsic::x86_avx512_add_pd_512 : Intrinsic::x86_avx512_add_ps_512;
    case Opcode::sub: return wide ? Intrinsic::x86_avx512_sub_pd_512 : Intrinsic::x86_avx512_sub_ps_512;
    case Opcode::mul: return wide ? Intrinsic::x86_avx512_mul_pd_512 : Intrinsic::x86_avx512_mul_ps_512;
    case Opcode::div: return wide ? Intrinsic::x86_avx512_div_pd_512 : Intrinsic::x86_avx512_div_ps_512;
    case Opcode::sqrt: return wide ? Intrinsic::x86_avx512_sqrt_pd_512 : Intrinsic::x86_avx512_sqrt_ps_512;
    default: return wide ? Intrinsic::x86_avx512_vfmadd_pd_512 : Intrinsic::x86_avx512_vfmadd_ps_512;
  }
}

Value* by_embedded_rounding(Lowering& l, Opcode opcode, Rounding rounding, llvm::ArrayRef<Value*> arguments) {
  const bool wide = arguments[0]->getType()->getScalarType()->isDoubleTy();
  llvm::SmallVector<Value*, 3> values(arguments.begin(), arguments.end());
  if (opcode == Opcode::rcp) values = {Kit::real(arguments[0], 1), arguments[0]}, opcode = Opcode::div;
  return l.in_pieces(values, wide ? 8 : 16, [&](llvm::ArrayRef<Value*> pieces) {
    llvm::SmallVector<Value*, 4> all(pieces.begin(), pieces.end());
    all.push_back(l.b.getInt32(embedded_rounding(rounding)));
    return l.call(embedded_intrinsic(opcode, wide), {}, all);
  });
}

}  // namespace

namespace {

bool is_nearest(Rounding rounding) { return rounding == Rounding::none || rounding == Rounding::rn; }
bool is_fused(Opcode opcode) { return opcode == Opcode::fma || opcode == Opcode::mad; }

bool needs_soft_function(Lowering& l, Opcode opcode, Rounding rounding) {
  return is_nearest(rounding) ? is_fused(opcode) && !l.features.fma : !l.features.avx512;
}

Value* by_soft_function(Lowering& l, Opcode opcode, Rounding rounding, bool ftz, llvm::ArrayRef<Value*> arguments) {
  SoftCode code;
  code.opcode = is_fused(opcode) ? Opcode::fma : opcode;
  code.type = arguments[0]->getType()->getScalarType()->isDoubleTy() ? Type::f64 : Type::f32;
  code.rounding = is_nearest(rounding) ? Rounding::rn : rounding;
  code.ftz = ftz;
  return l.soft(SoftFunction::float_arithmetic, code.packed(), arguments[0]->getType(), arguments);
}

}  // namespace

Value* rounded(Lowering& l, Opcode opcode, Rounding rounding, llvm::ArrayRef<Value*> arguments) {
  if (needs_soft_function(l, opcode, rounding)) return by_soft_function(l, opcode, rounding, false, arguments);
  return is_nearest(rounding) ? to_nearest(l.b, opcode, arguments)
                              : by_embedded_rounding(l, opcode, rounding, arguments);
}

namespace {

// The result with .ftz, of operands that are flushed already. Sums that are subnormal are exact; products and quotients
// are computed a second time, scaled up, to see whether full precision would have left them subnormal.
Value* rounded_and_flushed(Lowering& l, Opcode opcode, llvm::ArrayRef<Value*> arguments) {
  const Rounding rounding = l.d.rounding;
  if (needs_soft_function(l, opcode, rounding)) return by_soft_function(l, opcode, rounding, true, arguments);
  Value* result = rounded(l, opcode, rounding, arguments);
  const bool exact = opcode == Opcode::add || opcode == Opcode::sub || opcode == Opcode::sqrt ||
                     (opcode == Opcode::rcp && is_nearest(rounding));
  if (exact) return l.flush(result, true);
  llvm::SmallVector<Value*, 3> scaled(arguments.begin(), arguments.end());
  Value* scale = Kit::real(result, std::ldexp(1.0, Kit::flush_scale));
  if (opcode == Opcode::rcp) {
    scaled = {scale, arguments[0]};
    opcode = Opcode::div;
  } else {
    scaled[0] = l.b.CreateFMul(scaled[0], scale);
  }
  if (is_fused(opcode)) scaled[2] = l.b.CreateFMul(scaled[2], scale);
  return l.flush_by(result, rounded(l, opcode, rounding, scaled));
}

}  // namespace

namespace {

Value* minimum(Lowering& l, llvm::ArrayRef<Value*> v) {
  const bool max = l.inst.opcode == Opcode::max;
  const bool magnitudes = l.inst.has(Modifier::abs);  // with or without .xorsign
  Value* result = magnitudes ? l.unary(Intrinsic::fabs, v[0]) : v[0];
  Value* sign = nullptr;
  if (l.d.xorsign_abs) {
    Value* mixed = l.bits(v[0]);
    for (Value* other : v.drop_front()) mixed = l.b.CreateXor(mixed, l.bits(other));
    sign = l.b.CreateAnd(mixed, 0x80000000);
  }
  for (Value* other : v.drop_front())
    result = l.minimum(result, magnitudes ? l.unary(Intrinsic::fabs, other) : other, max, l.d.nan);
  if (!sign) return result;
  Value* number = l.as_float(l.b.CreateOr(l.bits(result), sign));
  return l.b.CreateSelect(l.is_nan(result), result, number);  // the NaN stays canonical
}

Value* has_property(Lowering& l, Value* x) {
  llvm::IRBuilder<>& b = l.b;
  const auto& inst = l.inst;
  if (inst.has(Modifier::number)) return b.CreateFCmpORD(x, x);
  if (inst.has(Modifier::notanumber)) return b.CreateFCmpUNO(x, x);
  const bool wide = x->getType()->getScalarType()->isDoubleTy();
  const auto infinity = llvm::ConstantFP::getInfinity(x->getType());
  Value* magnitude = l.unary(Intrinsic::fabs, x);
  if (inst.has(Modifier::infinite)) return b.CreateFCmpOEQ(magnitude, infinity);
  if (inst.has(Modifier::finite)) return b.CreateFCmpOLT(magnitude, infinity);
  Value* pattern = l.bits(magnitude);
  Value* one = Kit::number(pattern, 1);
  Value* least = Kit::number(pattern, wide ? 0x0010000000000000 : 0x00800000);
  Value* subnormal = b.CreateICmpULT(b.CreateSub(pattern, one), b.CreateSub(least, one));
  if (inst.has(Modifier::subnormal)) return subnormal;
  return b.CreateAnd(b.CreateNot(subnormal), b.CreateFCmpOLT(magnitude, infinity));  // zeros count as normal
}

// abs and neg leave the sign of an f64 NaN alone and make it quiet.
Value* keep_nan(Lowering& l, Value* x, Value* result) {
  if (!x->getType()->getScalarType()->isDoubleTy()) return result;
  constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
  return l.b.CreateSelect(l.is_nan(x), l.as_float(l.b.CreateOr(l.bits(x), quiet)), result);
}

Value* compute(Lowering& l, llvm::ArrayRef<Value*> v) {
  switch (l.inst.opcode) {
    case Opcode::abs: return keep_nan(l, v[0], l.unary(Intrinsic::fabs, v[0]));
    case Opcode::neg: return keep_nan(l, v[0], l.b.CreateFNeg(v[0]));
    case Opcode::min:
    case Opcode::max: return minimum(l, v);
    case Opcode::copysign: return l.b.CreateCopySign(v[1], v[0]);
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt: {
      Value* result = l.d.ftz ? rounded_and_flushed(l, l.inst.opcode, v) : rounded(l, l.inst.opcode, l.d.rounding, v);
      return l.d.sat ? l.saturate(result) : result;
    }
    default: l.refuse("the CPU device has no such floating-point operation");
  }
}

}  // namespace

Values lower_float(Lowering& l) {
  const Type type = l.d.type;
  const bool packed = ptx::element_count(type) > 1;  // f32x2
  llvm::SmallVector<Value*, 3> values;
  for (unsigned i = 0; i < l.operands.size(); ++i) {
    if (!l.has(i)) continue;
    Value* value = l.use(i, type);
    if (packed) value = l.unpack(value, l.b.getFloatTy());
    values.push_back(l.flush(value, l.d.ftz));
  }
  if (l.inst.opcode == Opcode::testp) return {has_property(l, values[0])};
  Value* result = compute(l, values);
  if (!packed) return {result};
  // f32x2 lives in registers without a type, where nobody settles a NaN later.
  Value* nan =
      llvm::ConstantFP::get(result->getType(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff)));
  return {l.pack(l.b.CreateSelect(l.is_nan(result), nan, result), l.carrier_of(type))};
}

}  // namespace heddle::device::cpu
