// add, sub, mul, fma, div, rcp, sqrt and comparisons of any binary floating-point format, each rounded once.
//
// Operands and results are bit patterns in the low bits of a 64-bit word; bits above the format's width are ignored in
// operands and zero in results. NaN results are canonical except in f64, which keeps the payload as the hardware does.
#pragma once

#include "ptx/semantics/float_format.hpp"

namespace heddle::ptx::semantics {

std::uint64_t float_add(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode);
std::uint64_t float_sub(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode);
std::uint64_t float_mul(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode);
std::uint64_t float_fma(Format format, std::uint64_t a, std::uint64_t b, std::uint64_t c, const FloatMode& mode);
std::uint64_t float_div(Format format, std::uint64_t a, std::uint64_t b, const FloatMode& mode);
std::uint64_t float_sqrt(Format format, std::uint64_t a, const FloatMode& mode);
std::uint64_t float_rcp(Format format, std::uint64_t a, const FloatMode& mode);

// Mixed precision (add, sub and fma of PTX 8.6 with f16 or bf16 operands and an f32 result): operands of `from` are
// exact in the computation and the result is rounded once to `format`.
Exact exact_add(const Exact& a, const Exact& b, bool toward_negative);
Exact exact_mul(const Exact& a, const Exact& b);

enum class Ordering : std::uint8_t { less, equal, greater, unordered };
// -0 equals +0.
Ordering float_order(Format format, std::uint64_t a, std::uint64_t b);
// eq ne lt le gt ge (false when unordered), equ neu ltu leu gtu geu (true when unordered), num, nan.
bool float_compare(Format format, Compare compare, std::uint64_t a, std::uint64_t b, bool ftz);

struct MinMaxMode {
  bool ftz = false;
  bool nan = false;          // .NaN: a NaN operand gives the canonical NaN
  bool xorsign_abs = false;  // compares magnitudes; the sign is the exclusive or of the operands' signs
};
// -0 is less than +0; without .NaN the operand that is a number wins, and two NaNs give the canonical NaN.
std::uint64_t float_min(Format format, std::uint64_t a, std::uint64_t b, const MinMaxMode& mode);
std::uint64_t float_max(Format format, std::uint64_t a, std::uint64_t b, const MinMaxMode& mode);

// abs and neg of a NaN give the NaN that arithmetic gives, whatever its sign.
std::uint64_t float_abs(Format format, std::uint64_t a, bool ftz);
std::uint64_t float_neg(Format format, std::uint64_t a, bool ftz);
// The magnitude of b with the sign of a.
std::uint64_t float_copysign(Format format, std::uint64_t a, std::uint64_t b);
// testp: `kind` is finite, infinite, number, notanumber, normal or subnormal. Zeros count as normal.
bool float_test(Format format, Modifier kind, std::uint64_t a);

}  // namespace heddle::ptx::semantics
