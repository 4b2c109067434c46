// The approximate instructions. The PTX ISA bounds their error (1 or 2 last places, 2^-22, ...) and states results for
// special operands. Quotients and square roots are computed exactly: the processor's dividers run beside its
// multipliers, and cost less than the corrections that an estimate needs at zero and infinity. The rest are polynomials
// whose coefficients are minimax fits (Remez) over the stated interval.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr unsigned piece = 16;       // f32 lanes of a 512-bit register
constexpr int current_rounding = 4;  // operand of AVX-512 intrinsics: no embedded rounding

Value* multiply_add(Kit& kit, Value* x, Value* y, Value* z) {
  if (kit.features.fma) return kit.call(Intrinsic::fma, {x->getType()}, {x, y, z});
  return kit.b.CreateFAdd(kit.b.CreateFMul(x, y), z);
}

// c[0] + c[1] x + c[2] x^2 + ...
Value* polynomial(Kit& kit, Value* x, llvm::ArrayRef<double> c) {
  Value* result = Kit::real(x, c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    result = multiply_add(kit, result, x, Kit::real(x, coefficient));
  return result;
}

Value* masked512(Kit& kit, Intrinsic::ID id, llvm::ArrayRef<Value*> leading) {
  llvm::SmallVector<Value*, 6> arguments(leading.begin(), leading.end());
  arguments.push_back(llvm::PoisonValue::get(leading[0]->getType()));
  arguments.push_back(kit.b.getInt16(0xffff));
  return kit.call(id, {}, arguments);
}

Value* masked512_rounding(Kit& kit, Intrinsic::ID id, llvm::ArrayRef<Value*> leading) {
  llvm::SmallVector<Value*, 6> arguments(leading.begin(), leading.end());
  arguments.push_back(llvm::PoisonValue::get(leading[0]->getType()));
  arguments.push_back(kit.b.getInt16(0xffff));
  arguments.push_back(kit.b.getInt32(current_rounding));
  return kit.call(id, {}, arguments);
}

// 2^x = 2^n 2^f with n whole and |f| <= 1/2; 2^f - 1 = f q(f), relative error of 2^f 2^-28.
constexpr double exp2_coefficients[] = {
    1, 0.693147242, 0.240226522, 0.0555031039, 0.00961769279, 0.00134066434, 0.000155946764};

Value* exp2_512(Kit& kit, Value* x) {
  // VREDUCEPS gives x - n, and 0 for infinities; VSCALEFPS multiplies by 2^n and rounds once.
  Value* fraction = masked512_rounding(kit, Intrinsic::x86_avx512_mask_reduce_ps_512, {x, kit.b.getInt32(0)});
  Value* whole = kit.unary(Intrinsic::roundeven, x);
  Value* power = polynomial(kit, fraction, exp2_coefficients);
  return masked512_rounding(kit, Intrinsic::x86_avx512_mask_scalef_ps_512, {power, whole});
}

// 2^n as f32 for whole n in [-126, 127] given as i32.
Value* power_of_two(Kit& kit, Value* n) {
  return kit.as_float(kit.b.CreateShl(kit.b.CreateAdd(n, Kit::number(n, 127)), 23));
}

Value* exp2_generic(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  Value* bounded = b.CreateSelect(b.CreateFCmpOGT(x, Kit::real(x, 129)), Kit::real(x, 129), x);
  bounded = b.CreateSelect(b.CreateFCmpOLT(bounded, Kit::real(x, -152)), Kit::real(x, -152), bounded);
  Value* whole = kit.to_whole(bounded, Rounding::rni);
  Value* power = polynomial(kit, b.CreateFSub(bounded, whole), exp2_coefficients);
  Value* finite = b.CreateSelect(kit.is_nan(x), Kit::real(x, 0), whole);
  Value* n = b.CreateFPToSI(finite, kit.int_type(32, x));
  Value* half =
      b.CreateAShr(n, 1);  // in two steps, the first of them exact, so that a subnormal result is rounded once
  power = b.CreateFMul(power, power_of_two(kit, half));
  return b.CreateFMul(power, power_of_two(kit, b.CreateSub(n, half)));
}

// log2(m) = r q(r) with r = m - 1 and m in [3/4, 3/2); error relative to r 2^-27.
constexpr double log2_coefficients[] = {1.44269502,   -0.721347511, 0.480900854,  -0.360676557, 0.28838259,
                                        -0.240102828, 0.20905605,   -0.190617815, 0.151473954,  -0.0648222342};

Value* log2_512(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  const auto exponent_of = [&](Value* v) {
    return masked512_rounding(kit, Intrinsic::x86_avx512_mask_getexp_ps_512, {v});
  };
  // [3/4, 3/2), NaN for negative operands. Exponents of 0 and infinity come out infinite, their significands 1.
  constexpr int three_quarters = 3, negative_is_nan = 2 << 2;
  Value* m = masked512_rounding(kit, Intrinsic::x86_avx512_mask_getmant_ps_512,
                                {x, b.getInt32(three_quarters | negative_is_nan)});
  Value* exponent = b.CreateFSub(exponent_of(x), exponent_of(m));
  m = kit.unary(Intrinsic::fabs, m);  // of -0 the significand is -1
  Value* r = b.CreateFSub(m, Kit::real(m, 1));
  return multiply_add(kit, r, polynomial(kit, r, log2_coefficients), exponent);
}

Value* log2_generic(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  Value* small = b.CreateFCmpOLT(x, Kit::real(x, 0x1p-126));
  Value* normal = b.CreateSelect(small, b.CreateFMul(x, Kit::real(x, 0x1p23)), x);
  Value* pattern = kit.bits(normal);
  Value* e = b.CreateAShr(b.CreateSub(pattern, Kit::number(pattern, 0x3f400000)), 23);
  Value* m = kit.as_float(b.CreateSub(pattern, b.CreateShl(e, 23)));
  Value* exponent = b.CreateSIToFP(e, x->getType());
  exponent = b.CreateFSub(exponent, b.CreateSelect(small, Kit::real(x, 23), Kit::real(x, 0)));
  Value* r = b.CreateFSub(m, Kit::real(m, 1));
  Value* result = multiply_add(kit, r, polynomial(kit, r, log2_coefficients), exponent);
  Value* infinity = llvm::ConstantFP::getInfinity(x->getType());
  result = b.CreateSelect(b.CreateFCmpOEQ(x, infinity), infinity, result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, Kit::real(x, 0)), b.CreateFNeg(infinity), result);
  return b.CreateSelect(b.CreateFCmpULT(x, Kit::real(x, 0)), llvm::ConstantFP::getNaN(x->getType()), result);
}

// x - n pi, with pi in two parts where products are exact in a fused multiply-add, else in three short ones. All parts
// are positive, so that -0 stays -0.
Value* less_multiple_of_pi(Kit& kit, Value* x, Value* n) {
  const auto step = [&](Value* from, double part) { return multiply_add(kit, n, Kit::real(n, -part), from); };
  if (kit.features.fma) return step(step(x, 3.14159250259399414), 1.50995798975e-7);
  return step(step(step(x, 3.140625), 9.67502593994140625e-4), 1.5099579909783764e-7);
}

struct Reduced {
  Value* r;     // x - n pi, about [-pi/2, pi/2]
  Value* sign;  // the sign bit of (-1)^n, other bits clear
};

// Adding 3 2^22 rounds to a whole number and leaves its parity in the lowest bit. r goes a little beyond pi/2 when the
// multiple is chosen by an inexact product; up to some 2^20 the result is good to f32's precision. Beyond, r is clamped
// so that results stay in [-1, 1] for any operand; of infinities it is NaN.
Reduced reduce_by_pi(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  constexpr double inverse_pi = 0.318309886183790672, limit = 1.7;
  Value* magic = Kit::real(x, 0x1.8p23);
  Value* turns = multiply_add(kit, x, Kit::real(x, inverse_pi), magic);
  Value* r = less_multiple_of_pi(kit, x, b.CreateFSub(turns, magic));
  r = b.CreateSelect(b.CreateFCmpOGT(r, Kit::real(r, limit)), Kit::real(r, limit), r);
  r = b.CreateSelect(b.CreateFCmpOLT(r, Kit::real(r, -limit)), Kit::real(r, -limit), r);
  return {r, b.CreateShl(kit.bits(turns), 31)};
}

// sin(r) = r + r^3 q(r^2), error 2^-27. The sum loses the sign of r = -0: it is put back.
Value* sine(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  const Reduced reduced = reduce_by_pi(kit, x);
  Value* r = reduced.r;
  Value* square = b.CreateFMul(r, r);
  Value* q = polynomial(kit, square, {-0.166666597, 0.0083330879, -0.000198111011, 2.6089042e-06});
  Value* result = multiply_add(kit, b.CreateFMul(square, q), r, r);
  return b.CreateCopySign(result, kit.as_float(b.CreateXor(kit.bits(r), reduced.sign)));
}

// cos(r) = 1 + r^2 q(r^2), error 2^-24.
Value* cosine(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  const Reduced reduced = reduce_by_pi(kit, x);
  Value* square = b.CreateFMul(reduced.r, reduced.r);
  Value* result = polynomial(kit, square, {1, -0.499999315, 0.0416639894, -0.00138559262, 2.31943559e-05});
  return kit.as_float(b.CreateXor(kit.bits(result), reduced.sign));
}

// A 14-bit estimate and a Newton step, which fails (NaN) only where the estimate is the exact result: 0 and infinity.
Value* rsqrt_512(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  Value* estimate = masked512(kit, Intrinsic::x86_avx512_rsqrt14_ps_512, {x});
  Value* product = b.CreateFMul(x, estimate);
  Value* error = multiply_add(kit, b.CreateFNeg(product), estimate, Kit::real(x, 1));
  Value* better = multiply_add(kit, b.CreateFMul(estimate, Kit::real(x, 0.5)), error, estimate);
  return b.CreateSelect(b.CreateFCmpORD(error, error), better, estimate);
}

Value* rsqrt(Kit& kit, Value* x) {
  if (kit.features.avx512)
    return kit.in_pieces({x}, piece, [&](llvm::ArrayRef<Value*> pieces) { return rsqrt_512(kit, pieces[0]); });
  return kit.b.CreateFDiv(Kit::real(x, 1), kit.unary(Intrinsic::sqrt, x));
}

Value* log2(Kit& kit, Value* x) {
  if (!kit.features.avx512) return log2_generic(kit, x);
  return kit.in_pieces({x}, piece, [&](llvm::ArrayRef<Value*> pieces) { return log2_512(kit, pieces[0]); });
}

// div.approx gives 0 (or NaN for an infinite dividend) for divisors beyond 2^126: the quotient by infinity.
Value* approximate_quotient(Kit& kit, Value* x, Value* y) {
  llvm::IRBuilder<>& b = kit.b;
  Value* large = b.CreateFCmpOGT(kit.unary(Intrinsic::fabs, y), Kit::real(y, 0x1p126));
  Value* infinity = b.CreateCopySign(llvm::ConstantFP::getInfinity(y->getType()), y);
  return b.CreateFDiv(x, b.CreateSelect(large, infinity, y));
}

Value* flush_f64(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  Value* pattern = kit.bits(x);
  Value* small = b.CreateICmpEQ(b.CreateAnd(pattern, 0x7ff0000000000000), Kit::number(pattern, 0));
  return kit.as_float(b.CreateSelect(small, b.CreateAnd(pattern, 0x8000000000000000), pattern));
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper words of operand and result.
Value* upper_word_function(Kit& kit, Value* x, bool root) {
  llvm::IRBuilder<>& b = kit.b;
  constexpr std::uint64_t upper = 0xffffffff00000000;
  Value* nan = kit.is_nan(x);
  Value* operand = flush_f64(kit, kit.as_float(b.CreateAnd(kit.bits(x), upper)));
  Value* exact = b.CreateFDiv(Kit::real(x, 1), root ? kit.unary(Intrinsic::sqrt, operand) : operand);
  Value* pattern = kit.bits(exact);
  Value* odd = b.CreateAnd(b.CreateLShr(pattern, 32), 1);
  Value* rounded = b.CreateAdd(b.CreateAdd(pattern, Kit::number(pattern, 0x7fffffff)), odd);
  Value* result = kit.bits(flush_f64(kit, kit.as_float(b.CreateAnd(rounded, upper))));
  nan = b.CreateOr(nan, kit.is_nan(exact));
  return kit.as_float(b.CreateSelect(nan, Kit::number(result, 0x7fffffff00000000), result));
}

Value* evaluate(Lowering& l, Value* x, Value* y) {
  switch (l.inst.opcode) {
    case Opcode::rcp: return l.b.CreateFDiv(Kit::real(x, 1), x);
    case Opcode::div: return l.d.full ? l.b.CreateFDiv(x, y) : approximate_quotient(l, x, y);
    case Opcode::sqrt: return l.unary(Intrinsic::sqrt, x);
    case Opcode::rsqrt: return rsqrt(l, x);
    case Opcode::sin: return sine(l, x);
    case Opcode::cos: return cosine(l, x);
    case Opcode::lg2: return log2(l, x);
    case Opcode::ex2: return approximate_ex2(l, x);
    case Opcode::tanh: return approximate_tanh(l, x);
    default: l.refuse("the CPU device has no such approximation");
  }
}

}  // namespace

Value* approximate_ex2(Kit& kit, Value* x) {
  if (!kit.features.avx512) return exp2_generic(kit, x);
  return kit.in_pieces({x}, piece, [&](llvm::ArrayRef<Value*> pieces) { return exp2_512(kit, pieces[0]); });
}

// (1 - t) / (1 + t) with t = e^(-2|x|); near 0, where 1 - t loses its digits, tanh(x) is x to within the bound of
// 2^-11.
Value* approximate_tanh(Kit& kit, Value* x) {
  llvm::IRBuilder<>& b = kit.b;
  Value* magnitude = kit.unary(Intrinsic::fabs, x);
  Value* t = approximate_ex2(kit, b.CreateFMul(magnitude, Kit::real(x, -2.88539008)));
  Value* one = Kit::real(x, 1);
  Value* result = b.CreateFDiv(b.CreateFSub(one, t), b.CreateFAdd(one, t));
  return b.CreateCopySign(b.CreateSelect(b.CreateFCmpOLT(magnitude, Kit::real(x, 0x1p-7)), magnitude, result), x);
}

Values lower_approximate(Lowering& l) {
  if (l.d.type == Type::f64) {
    Value* x = l.use(0, Type::f64);
    const bool root = l.inst.opcode == Opcode::rsqrt;
    if (!root && l.inst.opcode != Opcode::rcp) l.refuse("the CPU device has no such approximation");
    if (l.d.ftz) return {upper_word_function(l, x, root)};
    return {l.b.CreateFDiv(Kit::real(x, 1), l.unary(Intrinsic::sqrt, x))};
  }
  // 2^x is 1 for subnormal x flushed or not; and only these functions have subnormal results for normal operands.
  const Opcode opcode = l.inst.opcode;
  const bool may_underflow = opcode == Opcode::rcp || opcode == Opcode::div || opcode == Opcode::ex2;
  Value* x = l.flush(l.use(0, Type::f32), l.d.ftz && opcode != Opcode::ex2);
  Value* y = l.has(1) ? l.flush(l.use(1, Type::f32), l.d.ftz) : nullptr;
  return {l.flush(evaluate(l, x, y), l.d.ftz && may_underflow)};
}

}  // namespace heddle::device::cpu
