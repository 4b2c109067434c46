// Binary floating-point formats as bit patterns, exact values between them, and the one place where values are rounded.
// Everything is integer arithmetic: no host floating-point operation, so results do not depend on the host, its
// compiler or its rounding mode. All functions are pure and safe in any thread.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

// How the top exponent is used.
enum class Specials : std::uint8_t {
  ieee,      // infinities and NaNs
  nan_only,  // e4m3: one NaN pattern of each sign, no infinity
  finite,    // e2m1, e2m3, e3m2: every pattern is a number
};

struct Format {
  unsigned exponent_bits = 0, fraction_bits = 0;
  Specials specials = Specials::ieee;
  std::uint64_t canonical_nan = 0;  // what NVIDIA GPUs produce

  constexpr unsigned width() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int min_exponent() const { return 1 - bias(); }  // of normal numbers
  constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (width() - 1); }
  constexpr std::uint64_t magnitude_mask() const { return sign_bit() - 1; }
  constexpr std::uint64_t fraction_mask() const { return (std::uint64_t{1} << fraction_bits) - 1; }
  constexpr std::uint64_t exponent_mask() const { return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  constexpr std::uint64_t infinity() const { return exponent_mask(); }  // of ieee formats
  constexpr std::uint64_t max_finite() const {
    switch (specials) {
      case Specials::ieee: return exponent_mask() - 1;
      case Specials::nan_only: return magnitude_mask() - 1;
      case Specials::finite: break;
    }
    return magnitude_mask();
  }
  constexpr std::uint64_t one() const { return static_cast<std::uint64_t>(bias()) << fraction_bits; }
};

inline constexpr Format f64_format{11, 52, Specials::ieee, 0xfff8000000000000};
inline constexpr Format f32_format{8, 23, Specials::ieee, 0x7fffffff};
inline constexpr Format f16_format{5, 10, Specials::ieee, 0x7fff};
inline constexpr Format bf16_format{8, 7, Specials::ieee, 0x7fff};
// tf32 lives in 32 bits like f32 with the low 13 fraction bits zero; this is the format without them.
inline constexpr Format tf32_format{8, 10, Specials::ieee, 0x3ffff};
inline constexpr Format e5m2_format{5, 2, Specials::ieee, 0x7f};
inline constexpr Format e4m3_format{4, 3, Specials::nan_only, 0x7f};
inline constexpr Format e3m2_format{3, 2, Specials::finite, 0};
inline constexpr Format e2m3_format{2, 3, Specials::finite, 0};
inline constexpr Format e2m1_format{2, 1, Specials::finite, 0};

// The format of a floating-point type; packed types give that of their element. Throws Error(internal) for others.
Format format_of(Type type);

// (-1)^sign * significand * 2^exponent, plus, when `sticky`, something more than 0 and less than 2^exponent in
// magnitude. A significand has at most 124 bits.
struct Exact {
  enum class Kind : std::uint8_t { zero, finite, infinity, nan };
  Kind kind = Kind::zero;
  bool sign = false;
  bool sticky = false;
  int exponent = 0;
  u128 significand = 0;
  std::uint64_t nan_bits = 0;  // of a NaN: its pattern in the format it came from
};

Exact decode(Format format, std::uint64_t bits);
Exact exact_from_integer(bool negative, u128 magnitude);

// What happens to values and results of an instruction.
struct FloatMode {
  Rounding rounding = Rounding::rn;
  bool ftz = false;        // subnormal inputs and results become zeros of their sign; results are judged after rounding
                           // to full precision (as GPUs and x86 do), so what rounds up to a normal number stays
  bool sat = false;        // result clamped to [0, 1], NaN to +0
  bool relu = false;       // negative results become +0, NaN the canonical NaN
  bool satfinite = false;  // what is too large becomes the largest finite value
};

// Rounds to the format by mode.rounding (rn, rz, rm, rp, rna) and applies the rest of the mode to the result.
std::uint64_t encode(Format format, const Exact& value, const FloatMode& mode);
// Applies ftz, sat and relu to a value of the format, without rounding.
std::uint64_t finish(Format format, std::uint64_t bits, const FloatMode& mode);

bool is_nan(Format format, std::uint64_t bits);
bool is_infinite(Format format, std::uint64_t bits);
bool is_zero(Format format, std::uint64_t bits);
bool is_subnormal(Format format, std::uint64_t bits);
// Subnormals become zeros of their sign when `ftz`.
std::uint64_t flush(Format format, std::uint64_t bits, bool ftz);

// Drops the low `count` bits (any number) of value, rounded by `rounding`; `sticky` says that something non-zero lies
// below bit 0. Integer rounding modes (rni ...) mean the same as rn ...
u128 round_shift(u128 value, unsigned count, bool sticky, bool negative, Rounding rounding);
// Index of the highest set bit; value must not be 0.
unsigned top_bit(u128 value);

}  // namespace heddle::ptx::semantics
