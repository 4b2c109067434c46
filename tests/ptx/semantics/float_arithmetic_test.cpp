// Every rounded operation against MPFR: 16-bit formats over all patterns (of the first operand), wider ones over
// special values and random ones chosen so that ties, cancellation, underflow and overflow happen.
#include "ptx/semantics/float_arithmetic.hpp"

#include <gtest/gtest.h>

#include "semantics/mpfr_reference.hpp"

namespace heddle::ptx::semantics::test {
namespace {

struct NamedFormat {
  const char* name;
  Format format;
};
const NamedFormat formats[] = {
    {"f16", f16_format}, {"bf16", bf16_format}, {"tf32", tf32_format}, {"f32", f32_format}, {"f64", f64_format}};

class FloatArithmetic : public testing::TestWithParam<NamedFormat> {
 protected:
  Format format() const { return GetParam().format; }
  unsigned samples() const { return 40000; }

  // f64 keeps NaN payloads, so NaNs are compared as NaNs here and by pattern in a test of their own.
  void expect_same(std::uint64_t got, std::uint64_t want, const char* what, Rounding rounding,
                   std::initializer_list<std::uint64_t> operands) {
    if (is_nan(format(), got) && is_nan(format(), want)) return;
    if (got == want) return;
    std::string text;
    char buffer[32];
    for (std::uint64_t o : operands) {
      std::snprintf(buffer, sizeof buffer, " %#llx", static_cast<unsigned long long>(o));
      text += buffer;
    }
    ADD_FAILURE() << what << " mode " << static_cast<int>(rounding) << text << std::hex << ": got " << got << ", MPFR "
                  << want;
  }
};

TEST_P(FloatArithmetic, UnaryOperations) {
  const auto check = [&](std::uint64_t a) {
    Number x;
    set_from_bits(x, format(), a);
    for (Rounding rounding : all_roundings) {
      FloatMode mode;
      mode.rounding = rounding;
      expect_same(float_sqrt(format(), a, mode),
                  rounded(format(), rounding, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_sqrt(r, x.get(), m); }),
                  "sqrt", rounding, {a});
      expect_same(float_rcp(format(), a, mode),
                  rounded(format(), rounding, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_ui_div(r, 1, x.get(), m); }),
                  "rcp", rounding, {a});
    }
  };
  if (format().width() == 16) {
    for (std::uint64_t a = 0; a < 0x10000; ++a) check(a);
    return;
  }
  for (std::uint64_t a : special_patterns(format())) check(a);
  PatternSource source(format(), 1);
  for (unsigned i = 0; i < samples(); ++i) check(i & 1 ? source.any() : source.near(format().one(), 6));
}

TEST_P(FloatArithmetic, BinaryOperations) {
  Number x, y;
  const auto check = [&](std::uint64_t a, std::uint64_t b) {
    set_from_bits(x, format(), a);
    set_from_bits(y, format(), b);
    for (Rounding rounding : all_roundings) {
      FloatMode mode;
      mode.rounding = rounding;
      const auto reference = [&](int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)) {
        return rounded(format(), rounding, [&](mpfr_ptr r, mpfr_rnd_t m) { return f(r, x.get(), y.get(), m); });
      };
      expect_same(float_add(format(), a, b, mode), reference(mpfr_add), "add", rounding, {a, b});
      expect_same(float_sub(format(), a, b, mode), reference(mpfr_sub), "sub", rounding, {a, b});
      expect_same(float_mul(format(), a, b, mode), reference(mpfr_mul), "mul", rounding, {a, b});
      expect_same(float_div(format(), a, b, mode), reference(mpfr_div), "div", rounding, {a, b});
    }
  };
  const auto specials = special_patterns(format());
  for (std::uint64_t a : specials)
    for (std::uint64_t b : specials) check(a, b);
  PatternSource source(format(), 2);
  if (format().width() == 16) {
    for (std::uint64_t a = 0; a < 0x10000; ++a) check(a, source.near(a, 12));
    return;
  }
  for (unsigned i = 0; i < samples(); ++i) {
    const std::uint64_t a = source.any();
    check(a, i % 4 == 0 ? source.any() : source.near(a, i % 4 == 1 ? 2 : format().fraction_bits + 3));
  }
}

TEST_P(FloatArithmetic, FusedMultiplyAdd) {
  Number x, y, z;
  const auto check = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    set_from_bits(x, format(), a);
    set_from_bits(y, format(), b);
    set_from_bits(z, format(), c);
    for (Rounding rounding : all_roundings) {
      FloatMode mode;
      mode.rounding = rounding;
      const std::uint64_t want = rounded(
          format(), rounding, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_fma(r, x.get(), y.get(), z.get(), m); });
      expect_same(float_fma(format(), a, b, c, mode), want, "fma", rounding, {a, b, c});
    }
  };
  const auto specials = special_patterns(format());
  for (std::uint64_t a : specials)
    for (std::uint64_t b : specials)
      for (std::size_t k = 0; k < specials.size(); k += 5) check(a, b, specials[k]);
  PatternSource source(format(), 3);
  for (unsigned i = 0; i < 2 * samples(); ++i) {
    const std::uint64_t a = source.any(), b = i & 1 ? source.near(format().one(), 8) : source.any();
    // An addend of about the product's size cancels.
    FloatMode mode;
    const std::uint64_t product = float_mul(format(), a, b, mode);
    check(a, b,
          i % 8 == 0 ? product ^ format().sign_bit() : source.near(product, i % 3 ? 3 : 2 * format().fraction_bits));
  }
}

TEST_P(FloatArithmetic, FlushAndSaturate) {
  PatternSource source(format(), 4);
  for (unsigned i = 0; i < samples(); ++i) {
    const std::uint64_t a = source.near(0, 3), b = source.near(format().one(), 3);
    FloatMode plain, flushing, saturating, relu;
    flushing.ftz = true;
    saturating.sat = true;
    relu.relu = true;
    const std::uint64_t flushed = is_subnormal(format(), a) ? a & format().sign_bit() : a;
    const std::uint64_t product = float_mul(format(), flushed, b, plain);
    // Flushed when the product rounded to full precision, with no least exponent, is below the normal numbers.
    Number x, y, exact(static_cast<mpfr_prec_t>(format().fraction_bits) + 1);
    set_from_bits(x, format(), flushed);
    set_from_bits(y, format(), b);
    mpfr_mul(exact.get(), x.get(), y.get(), MPFR_RNDN);
    const bool tiny = mpfr_zero_p(exact.get()) || mpfr_get_exp(exact.get()) - 1 < format().min_exponent();
    EXPECT_EQ(float_mul(format(), a, b, flushing), tiny ? product & format().sign_bit() : product);
    const std::uint64_t sum = float_add(format(), a, b, plain);
    const bool negative = sum & format().sign_bit();
    EXPECT_EQ(float_add(format(), a, b, relu), negative ? 0 : sum);
    EXPECT_EQ(float_add(format(), a, b, saturating), negative ? 0 : sum > format().one() ? format().one() : sum);
  }
  FloatMode saturating;
  saturating.sat = true;
  EXPECT_EQ(float_add(format(), format().infinity(), format().infinity() | format().sign_bit(), saturating), 0u);
  EXPECT_EQ(float_add(format(), format().infinity(), format().one(), saturating), format().one());
}

TEST_P(FloatArithmetic, ComparisonsAgreeWithMpfr) {
  Number x, y;
  const auto specials = special_patterns(format());
  PatternSource source(format(), 5);
  std::vector<std::uint64_t> values = specials;
  for (int i = 0; i < 100; ++i) values.push_back(source.any());
  for (std::uint64_t a : values)
    for (std::uint64_t b : values) {
      set_from_bits(x, format(), a);
      set_from_bits(y, format(), b);
      const bool less = mpfr_less_p(x.get(), y.get()), equal = mpfr_equal_p(x.get(), y.get());
      const bool unordered = mpfr_unordered_p(x.get(), y.get());
      const auto is = [&](Compare c) { return float_compare(format(), c, a, b, false); };
      EXPECT_EQ(is(Compare::lt), less);
      EXPECT_EQ(is(Compare::eq), equal);
      EXPECT_EQ(is(Compare::le), less || equal);
      EXPECT_EQ(is(Compare::gt), !less && !equal && !unordered);
      EXPECT_EQ(is(Compare::ge), !less && !unordered);
      EXPECT_EQ(is(Compare::ne), !equal && !unordered);
      EXPECT_EQ(is(Compare::neu), !equal);
      EXPECT_EQ(is(Compare::ltu), less || unordered);
      EXPECT_EQ(is(Compare::leu), less || equal || unordered);
      EXPECT_EQ(is(Compare::gtu), !less && !equal);
      EXPECT_EQ(is(Compare::geu), !less);
      EXPECT_EQ(is(Compare::equ), equal || unordered);
      EXPECT_EQ(is(Compare::nan), unordered);
      EXPECT_EQ(is(Compare::num), !unordered);
    }
}

TEST_P(FloatArithmetic, MinimumAndMaximum) {
  const std::uint64_t sign = format().sign_bit(), one = format().one(), nan = format().infinity() | 5;
  const auto low = [&](std::uint64_t a, std::uint64_t b, MinMaxMode m = {}) { return float_min(format(), a, b, m); };
  const auto high = [&](std::uint64_t a, std::uint64_t b, MinMaxMode m = {}) { return float_max(format(), a, b, m); };
  EXPECT_EQ(low(0, sign), sign);
  EXPECT_EQ(low(sign, 0), sign);
  EXPECT_EQ(high(0, sign), 0u);
  EXPECT_EQ(high(sign, 0), 0u);
  EXPECT_EQ(low(nan, one), one);
  EXPECT_EQ(high(one | sign, nan), one | sign);
  const std::uint64_t quiet = nan | std::uint64_t{1} << (format().fraction_bits - 1);
  EXPECT_EQ(low(nan, nan), format().width() == 64 ? quiet : format().canonical_nan);
  if (format().width() < 64) {  // f64 has no .NaN
    EXPECT_EQ(low(nan, one, {.nan = true}), format().canonical_nan);
    EXPECT_EQ(high(one, nan, {.nan = true}), format().canonical_nan);
  }
  EXPECT_EQ(low(one | sign, one + 1, {.xorsign_abs = true}), one | sign);
  EXPECT_EQ(high(one | sign, one + 1, {.xorsign_abs = true}), (one + 1) | sign);
  EXPECT_EQ(high(one | sign, (one + 1) | sign, {.xorsign_abs = true}), one + 1);
  EXPECT_EQ(low(1, one, {.ftz = true}), 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, FloatArithmetic, testing::ValuesIn(formats),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FloatNan, IsCanonicalButInF64KeepsPayload) {
  EXPECT_EQ(float_add(f32_format, 0xffc12345, 0x3f800000, {}), 0x7fffffffu);
  EXPECT_EQ(float_mul(f16_format, 0x7e01, 0x3c00, {}), 0x7fffu);
  EXPECT_EQ(float_add(f64_format, 0x7ff0000000000123, 0x3ff0000000000000, {}), 0x7ff8000000000123u);
  EXPECT_EQ(float_sub(f64_format, 0x7ff0000000000000, 0x7ff0000000000000, {}), 0xfff8000000000000u);
}

}  // namespace
}  // namespace heddle::ptx::semantics::test
