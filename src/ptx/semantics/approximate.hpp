// The approximate instructions: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh with .approx and div.approx, div.full.
//
// The PTX ISA gives a bound on the error and the results for special operands, not the bits. Heddle computes to the
// last place of the result (in double precision, then rounded), with the special results of the ISA's tables. Tests
// compare devices with `within_bound`.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

// f32 functions; operand and result are bit patterns. ftz flushes subnormal operands and results to zeros of their
// sign.
std::uint32_t approximate_rcp(std::uint32_t a, bool ftz);
std::uint32_t approximate_sqrt(std::uint32_t a, bool ftz);
std::uint32_t approximate_rsqrt(std::uint32_t a, bool ftz);
std::uint32_t approximate_sin(std::uint32_t a, bool ftz);
std::uint32_t approximate_cos(std::uint32_t a, bool ftz);
std::uint32_t approximate_lg2(std::uint32_t a, bool ftz);
std::uint32_t approximate_ex2(std::uint32_t a, bool ftz);
std::uint32_t approximate_tanh(std::uint32_t a);
// div.approx: for |b| in (2^126, 2^128) the result is 0, or NaN when a is infinite.
std::uint32_t approximate_div(std::uint32_t a, std::uint32_t b, bool ftz);
std::uint32_t approximate_div_full(std::uint32_t a, std::uint32_t b, bool ftz);

// f16 and bf16 (`type`, scalar): ex2.approx and tanh.approx.
std::uint16_t approximate_ex2_half(Type type, std::uint16_t a, bool ftz);
std::uint16_t approximate_tanh_half(Type type, std::uint16_t a);

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the upper 32 bits of the operand count, the lower 32 of the result are
// 0. rsqrt.approx.f64 (ftz false) is a full one.
std::uint64_t approximate_rcp_f64(std::uint64_t a);
std::uint64_t approximate_rsqrt_f64(std::uint64_t a, bool ftz);

// The error that the PTX ISA (9.7.3, 9.7.4) allows.
struct ErrorBound {
  double ulp = 0;       // in last places of the exact result, counted in the result's type
  double relative = 0;  // of the exact result
  double absolute = 0;
  bool holds = false;  // false: the ISA states no bound for this operand
};
// For the f32 (or, by inst's type, f16, bf16, f64) instruction and operands; b is the divisor of div.
ErrorBound stated_error(const Instruction& inst, double a, double b = 0);
// True when `got` (bits of the instruction's type) is within the stated error of the exact function at the operands, or
// is the stated special result, or the ISA states nothing for them.
bool within_bound(const Instruction& inst, std::uint64_t a, std::uint64_t b, std::uint64_t got);

}  // namespace heddle::ptx::semantics
