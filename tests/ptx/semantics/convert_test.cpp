// Conversions against MPFR and against definitions written another way.
#include "ptx/semantics/convert.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "semantics/mpfr_reference.hpp"

namespace heddle::ptx::semantics::test {
namespace {

constexpr Type integer_types[] = {Type::u8, Type::u16, Type::u32, Type::u64, Type::s8, Type::s16, Type::s32, Type::s64};
constexpr Type float_types[] = {Type::f16, Type::bf16, Type::f32, Type::f64};
constexpr Rounding whole_roundings[] = {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi};

std::vector<std::uint64_t> patterns(Type type, unsigned random_count, bool exhaustive16 = true) {
  std::vector<std::uint64_t> result;
  const unsigned width = bit_width(type);
  if (width <= 16 && exhaustive16) {
    for (std::uint64_t i = 0; i < (std::uint64_t{1} << width); ++i) result.push_back(i);
    return result;
  }
  std::mt19937_64 random(width * 31 + 7);
  if (is_float(type)) {
    result = special_patterns(format_of(type));
    PatternSource source(format_of(type), 9);
    for (unsigned i = 0; i < random_count; ++i) {
      // Values about the ends of the integer ranges and about halves.
      result.push_back(i % 3 ? source.near(format_of(type).one(), 70) : source.any());
    }
  } else {
    for (unsigned i = 0; i < width; ++i)
      for (std::int64_t d : {-2, -1, 0, 1, 2}) {
        const std::uint64_t base = std::uint64_t{1} << i;
        result.push_back(truncate(type, base + static_cast<std::uint64_t>(d)));
        result.push_back(truncate(type, ~(base + static_cast<std::uint64_t>(d))));
      }
    for (unsigned i = 0; i < random_count; ++i) result.push_back(truncate(type, random() >> (random() % 64)));
  }
  return result;
}

std::string describe_case(Type to, Type from, std::uint64_t bits, Rounding rounding) {
  char text[96];
  std::snprintf(text, sizeof text, "type %d from %d, mode %d, bits %#llx", static_cast<int>(to), static_cast<int>(from),
                static_cast<int>(rounding), static_cast<unsigned long long>(bits));
  return text;
}

TEST(Convert, FloatToInteger) {
  Number x, whole;
  for (Type from : float_types)
    for (std::uint64_t bits : patterns(from, 20000)) {
      set_from_bits(x, format_of(from), bits);
      for (Rounding rounding : whole_roundings) {
        mpfr_rint(whole.get(), x.get(), mpfr_rounding(rounding));
        for (Type to : integer_types) {
          std::uint64_t want;
          const unsigned width = bit_width(to);
          if (mpfr_nan_p(x.get())) {
            want = from == Type::f64 || width == 64 ? std::uint64_t{1} << (width - 1) : 0;
          } else if (is_signed(to)) {
            const std::int64_t high = width == 64 ? INT64_MAX : (std::int64_t{1} << (width - 1)) - 1, low = -high - 1;
            std::int64_t value = mpfr_cmp_si(whole.get(), high) > 0  ? high
                                 : mpfr_cmp_si(whole.get(), low) < 0 ? low
                                                                     : 0;
            if (value == 0) value = mpfr_get_sj(whole.get(), MPFR_RNDN);
            want = truncate(to, static_cast<std::uint64_t>(value));
          } else {
            const std::uint64_t high = width == 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
            want = mpfr_sgn(whole.get()) < 0            ? 0
                   : mpfr_cmp_ui(whole.get(), high) > 0 ? high
                                                        : mpfr_get_uj(whole.get(), MPFR_RNDN);
          }
          FloatMode mode;
          mode.rounding = rounding;
          ASSERT_EQ(convert(to, from, bits, mode), want) << describe_case(to, from, bits, rounding);
        }
      }
    }
}

TEST(Convert, IntegerToFloat) {
  Number x;
  for (Type from : integer_types)
    for (std::uint64_t bits : patterns(from, 20000)) {
      if (is_signed(from))
        mpfr_set_sj(x.get(), static_cast<std::int64_t>(extend(from, bits)), MPFR_RNDN);
      else
        mpfr_set_uj(x.get(), bits, MPFR_RNDN);
      for (Type to : float_types)
        for (Rounding rounding : all_roundings) {
          FloatMode mode;
          mode.rounding = rounding;
          const std::uint64_t want =
              rounded(format_of(to), rounding, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_set(r, x.get(), m); });
          ASSERT_EQ(convert(to, from, bits, mode), want) << describe_case(to, from, bits, rounding);
        }
    }
}

TEST(Convert, FloatToFloat) {
  Number x;
  for (Type from : float_types)
    for (std::uint64_t bits : patterns(from, 40000)) {
      set_from_bits(x, format_of(from), bits);
      for (Type to : float_types) {
        if (to == from) continue;
        for (Rounding rounding : all_roundings) {
          FloatMode mode;
          mode.rounding = rounding;
          const std::uint64_t got = convert(to, from, bits, mode);
          const std::uint64_t want =
              rounded(format_of(to), rounding, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_set(r, x.get(), m); });
          if (is_nan(format_of(to), want))
            ASSERT_TRUE(is_nan(format_of(to), got));
          else
            ASSERT_EQ(got, want) << describe_case(to, from, bits, rounding);
        }
      }
    }
}

TEST(Convert, NansKeepTheirPayloadWhereF64TakesPart) {
  EXPECT_EQ(convert(Type::f64, Type::f32, 0xffc12345, {}), 0xfff82468a0000000u);
  EXPECT_EQ(convert(Type::f64, Type::f32, 0x7f800001, {}), 0x7ff8000020000000u);
  EXPECT_EQ(convert(Type::f32, Type::f64, 0xfff82468a0000000, {}), 0xffc12345u);
  EXPECT_EQ(convert(Type::f32, Type::f16, 0x7e01, {}), 0x7fffffffu);
  EXPECT_EQ(convert(Type::f32, Type::bf16, 0xffc1, {}), 0xffc10000u);
  FloatMode mode;
  mode.ftz = true;
  EXPECT_EQ(convert(Type::f64, Type::f32, 0xffc12345, mode), 0x7fffffffe0000000u);
}

TEST(Convert, FloatToWholeFloat) {
  Number x;
  for (Type type : float_types)
    for (std::uint64_t bits : patterns(type, 20000))
      for (Rounding rounding : whole_roundings) {
        set_from_bits(x, format_of(type), bits);
        FloatMode mode;
        mode.rounding = rounding;
        const std::uint64_t got = convert(type, type, bits, mode);
        const bool negative = mpfr_signbit(x.get());
        mpfr_rint(x.get(), x.get(), mpfr_rounding(rounding));
        mpfr_setsign(x.get(), x.get(), negative, MPFR_RNDN);
        if (mpfr_nan_p(x.get()))
          ASSERT_TRUE(is_nan(format_of(type), got));
        else
          ASSERT_EQ(got, bits_from(x, format_of(type))) << describe_case(type, type, bits, rounding);
      }
}

TEST(Convert, Tf32RoundsAwayFromTies) {
  for (std::uint64_t bits : patterns(Type::f32, 50000)) {
    if (is_nan(f32_format, bits)) continue;
    FloatMode mode;
    mode.rounding = Rounding::rna;
    std::uint64_t want = bits;
    if (!is_infinite(f32_format, bits)) want = (bits + 0x1000) & ~std::uint64_t{0x1fff};
    ASSERT_EQ(convert(Type::tf32, Type::f32, bits, mode), want) << std::hex << bits;
    mode.rounding = Rounding::rz;
    ASSERT_EQ(convert(Type::tf32, Type::f32, bits, mode), bits & ~std::uint64_t{0x1fff}) << std::hex << bits;
  }
}

// The value of an 8-bit float by its definition.
double eight_bit_value(std::uint64_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1));
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                         : std::ldexp(1 + fraction / (1 << fraction_bits), exponent - bias);
  return (bits >> (exponent_bits + fraction_bits)) & 1 ? -magnitude : magnitude;
}

TEST(Convert, EightBitFormatsToHalfAreExact) {
  for (std::uint64_t bits = 0; bits < 256; ++bits) {
    const auto as_double = [&](Type from) { return std::bit_cast<double>(convert(Type::f64, from, bits, {})); };
    if ((bits & 0x7f) == 0x7f)
      EXPECT_TRUE(std::isnan(as_double(Type::e4m3)));
    else
      EXPECT_EQ(as_double(Type::e4m3), eight_bit_value(bits, 4, 3));
    if ((bits & 0x7f) > 0x7c)
      EXPECT_TRUE(std::isnan(as_double(Type::e5m2)));
    else if ((bits & 0x7f) == 0x7c)
      EXPECT_TRUE(std::isinf(as_double(Type::e5m2)));
    else
      EXPECT_EQ(as_double(Type::e5m2), eight_bit_value(bits, 5, 2));
  }
}

// Nearest by search over all values; ties to the even pattern; saturating.
std::uint64_t nearest(double x, int exponent_bits, int fraction_bits, std::uint64_t largest) {
  const std::uint64_t sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return 0x7f;
  const double magnitude = std::min(std::fabs(x), eight_bit_value(largest, exponent_bits, fraction_bits));
  std::uint64_t best = 0;
  for (std::uint64_t bits = 0; bits <= largest; ++bits) {
    const double error = std::fabs(eight_bit_value(bits, exponent_bits, fraction_bits) - magnitude);
    const double best_error = std::fabs(eight_bit_value(best, exponent_bits, fraction_bits) - magnitude);
    if (error < best_error || (error == best_error && bits % 2 == 0)) best = bits;
  }
  return best | sign;
}

TEST(Convert, ToEightBitFormatsSaturating) {
  FloatMode mode;
  mode.rounding = Rounding::rn;
  mode.satfinite = true;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    const double x = std::bit_cast<double>(convert(Type::f64, Type::f16, bits, {}));
    ASSERT_EQ(convert(Type::e4m3, Type::f16, bits, mode), nearest(x, 4, 3, 0x7e)) << std::hex << bits;
    ASSERT_EQ(convert(Type::e5m2, Type::f16, bits, mode), nearest(x, 5, 2, 0x7b)) << std::hex << bits;
  }
}

TEST(Convert, IntegersTruncateOrSaturate) {
  for (Type from : integer_types)
    for (std::uint64_t bits : patterns(from, 2000))
      for (Type to : integer_types) {
        const s128 value = integer_value(from, bits);
        FloatMode sat;
        sat.sat = true;
        const std::uint64_t plain = convert(to, from, bits, {}), clamped = convert(to, from, bits, sat);
        ASSERT_EQ(plain, truncate(to, static_cast<std::uint64_t>(value)));
        const s128 result = integer_value(to, clamped);
        const s128 low = is_signed(to) ? -(s128{1} << (bit_width(to) - 1)) : s128{0};
        const s128 high = (s128{1} << (bit_width(to) - is_signed(to))) - 1;
        ASSERT_TRUE(result == (value < low ? low : value > high ? high : value)) << describe_case(to, from, bits, {});
      }
}

TEST(Convert, PackSaturates) {
  EXPECT_EQ(convert_pack(16, true, 40000, -40000, 0), 0x7fff8000u);
  EXPECT_EQ(convert_pack(16, false, -5, 70000, 0), 0x0000ffffu);
  EXPECT_EQ(convert_pack(8, true, 200, -200, 0x1234), 0x12347f80u);
  EXPECT_EQ(convert_pack(4, false, 20, 3, 0xabcdef), 0xabcdeff3u);
}

TEST(Convert, StochasticRoundingLiesBetweenNeighbours) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = 0x3f800000 + (random() & 0xffffff);
    FloatMode down;
    down.rounding = Rounding::rz;
    const std::uint64_t cut = convert(Type::f16, Type::f32, bits, down);
    const auto random_bits = static_cast<std::uint32_t>(random());
    const std::uint64_t got = convert_stochastic(Type::f16, bits, random_bits, 13, {});
    // The part below the last place plus the random bits carries or does not.
    const std::uint64_t below = bits & 0x1fff;
    EXPECT_EQ(got, cut + (below + (random_bits & 0x1fff) >= 0x2000 ? 1 : 0)) << std::hex << bits;
  }
}

}  // namespace
}  // namespace heddle::ptx::semantics::test
