// The reference for rounded arithmetic: MPFR with the precision and exponent range of a PTX format.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "ptx/semantics/float_format.hpp"

namespace heddle::ptx::semantics::test {

inline mpfr_rnd_t mpfr_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::rz:
    case Rounding::rzi: return MPFR_RNDZ;
    case Rounding::rm:
    case Rounding::rmi: return MPFR_RNDD;
    case Rounding::rp:
    case Rounding::rpi: return MPFR_RNDU;
    default: return MPFR_RNDN;
  }
}

// One MPFR number; 64 bits of precision or more hold any operand exactly.
class Number {
 public:
  explicit Number(mpfr_prec_t precision = 160) { mpfr_init2(value_, precision); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// Sets x to the value of the pattern, read by the definition of the format and not by the code under test.
inline void set_from_bits(Number& x, Format format, std::uint64_t bits) {
  const bool sign = (bits >> (format.width() - 1)) & 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const auto exponent =
      static_cast<long>((bits >> format.fraction_bits) & ((std::uint64_t{1} << format.exponent_bits) - 1));
  const long top = (1L << format.exponent_bits) - 1, bias = (1L << (format.exponent_bits - 1)) - 1;
  if (exponent == top && format.specials == Specials::ieee) {
    if (fraction)
      mpfr_set_nan(x.get());
    else
      mpfr_set_inf(x.get(), sign ? -1 : 1);
    return;
  }
  const long fraction_bits = static_cast<long>(format.fraction_bits);
  const std::uint64_t significand = exponent ? fraction | (std::uint64_t{1} << format.fraction_bits) : fraction;
  mpfr_set_uj_2exp(x.get(), significand, (exponent ? exponent : 1) - bias - fraction_bits, MPFR_RNDN);
  mpfr_setsign(x.get(), x.get(), sign, MPFR_RNDN);
}

// The bits of r, which must be a value of the ieee format.
inline std::uint64_t bits_from(Number& r, Format format) {
  const std::uint64_t sign = mpfr_signbit(r.get()) ? std::uint64_t{1} << (format.width() - 1) : 0;
  if (mpfr_nan_p(r.get())) return format.canonical_nan;
  const std::uint64_t top = (std::uint64_t{1} << format.exponent_bits) - 1;
  if (mpfr_inf_p(r.get())) return sign | (top << format.fraction_bits);
  if (mpfr_zero_p(r.get())) return sign;
  const long bias = (1L << (format.exponent_bits - 1)) - 1;
  long exponent = mpfr_get_exp(r.get()) - 1;
  if (exponent < 1 - bias) exponent = 1 - bias;
  Number scaled;
  mpfr_mul_2si(scaled.get(), r.get(), static_cast<long>(format.fraction_bits) - exponent, MPFR_RNDN);
  mpfr_abs(scaled.get(), scaled.get(), MPFR_RNDN);
  const std::uint64_t significand = mpfr_get_uj(scaled.get(), MPFR_RNDN);
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t biased = significand & hidden ? static_cast<std::uint64_t>(exponent + bias) : 0;
  return sign | (biased << format.fraction_bits) | (significand & (hidden - 1));
}

// compute(r, rounding) sets r with one rounding and returns MPFR's ternary value; the result is in the format.
inline std::uint64_t rounded(Format format, Rounding rounding,
                             const std::function<int(mpfr_ptr, mpfr_rnd_t)>& compute) {
  const mpfr_exp_t old_min = mpfr_get_emin(), old_max = mpfr_get_emax();
  const long bias = (1L << (format.exponent_bits - 1)) - 1;
  Number r(static_cast<mpfr_prec_t>(format.fraction_bits) + 1);
  mpfr_set_emin(1 - bias - static_cast<long>(format.fraction_bits) + 1);
  mpfr_set_emax(bias + 1);
  const mpfr_rnd_t mode = mpfr_rounding(rounding);
  int ternary = compute(r.get(), mode);
  ternary = mpfr_check_range(r.get(), ternary, mode);
  mpfr_subnormalize(r.get(), ternary, mode);
  mpfr_set_emin(old_min);
  mpfr_set_emax(old_max);
  return bits_from(r, format);
}

// Zeros, ones, the ends of the ranges, infinities, NaNs and their neighbours, of both signs.
inline std::vector<std::uint64_t> special_patterns(Format format) {
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias()) << format.fraction_bits;
  std::vector<std::uint64_t> result;
  for (std::uint64_t magnitude : {std::uint64_t{0},
                                  std::uint64_t{1},
                                  std::uint64_t{2},
                                  std::uint64_t{3},
                                  hidden / 2,
                                  hidden - 1,
                                  hidden,
                                  hidden + 1,
                                  2 * hidden,
                                  one - 1,
                                  one,
                                  one + 1,
                                  one + hidden,
                                  one + 2 * hidden,
                                  one + hidden / 2,
                                  one - hidden,
                                  one + 10 * hidden + 5,
                                  infinity - hidden,
                                  infinity - 2,
                                  infinity - 1,
                                  infinity,
                                  infinity + 1,
                                  infinity + hidden / 2 + 3,
                                  infinity + hidden - 1}) {
    result.push_back(magnitude);
    result.push_back(magnitude | format.sign_bit());
  }
  return result;
}

// Random patterns: any bits, and bits whose exponents lie near those of `near`, so that sums cancel and ties happen.
class PatternSource {
 public:
  PatternSource(Format format, std::uint64_t seed) : format_(format), random_(seed) {}
  std::uint64_t any() { return random_() & (format_.sign_bit() | format_.magnitude_mask()); }
  std::uint64_t near(std::uint64_t other, unsigned spread) {
    const auto exponent = static_cast<std::int64_t>((other & format_.exponent_mask()) >> format_.fraction_bits);
    const std::int64_t limit = (std::int64_t{1} << format_.exponent_bits) - 2;
    std::int64_t moved = exponent + static_cast<std::int64_t>(random_() % (2 * spread + 1)) - spread;
    moved = moved < 0 ? 0 : moved > limit ? limit : moved;
    return sparse() | (static_cast<std::uint64_t>(moved) << format_.fraction_bits) |
           (random_() & 1 ? format_.sign_bit() : 0);
  }

 private:
  // Fractions with few set bits meet exact cases and ties more often.
  std::uint64_t sparse() {
    std::uint64_t fraction = random_();
    if (random_() & 1) fraction &= random_() & random_() & random_();
    return fraction & format_.fraction_mask();
  }
  Format format_;
  std::mt19937_64 random_;
};

inline constexpr Rounding all_roundings[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};

}  // namespace heddle::ptx::semantics::test
