// The approximate instructions: special operands by the PTX ISA's tables, others against MPFR within one last place,
// which is far inside the stated bounds.
#include "ptx/semantics/approximate.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "semantics/mpfr_reference.hpp"

namespace heddle::ptx::semantics::test {
namespace {

using UnaryFunction = std::uint32_t (*)(std::uint32_t, bool);
constexpr std::uint32_t nan32 = 0x7fffffff, infinity32 = 0x7f800000, minus = 0x80000000, one32 = 0x3f800000;

std::uint32_t tanh_without_ftz(std::uint32_t a, bool) { return approximate_tanh(a); }
int reciprocal(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) { return mpfr_ui_div(r, 1, x, m); }

struct Function {
  const char* name;
  UnaryFunction ours;
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
const Function functions[] = {{"rcp", approximate_rcp, reciprocal},        {"sqrt", approximate_sqrt, mpfr_sqrt},
                              {"rsqrt", approximate_rsqrt, mpfr_rec_sqrt}, {"sin", approximate_sin, mpfr_sin},
                              {"cos", approximate_cos, mpfr_cos},          {"lg2", approximate_lg2, mpfr_log2},
                              {"ex2", approximate_ex2, mpfr_exp2},         {"tanh", tanh_without_ftz, mpfr_tanh}};

class Approximate : public testing::TestWithParam<Function> {};

TEST_P(Approximate, IsWithinOneLastPlaceOfMpfr) {
  PatternSource source(f32_format, 21);
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t bits = i % 2 ? source.near(f32_format.one(), 8) : source.any();
    Number x;
    set_from_bits(x, f32_format, bits);
    if (mpfr_nan_p(x.get())) continue;
    const std::uint64_t want =
        rounded(f32_format, Rounding::rn, [&](mpfr_ptr r, mpfr_rnd_t m) { return GetParam().exact(r, x.get(), m); });
    const std::uint64_t got = GetParam().ours(static_cast<std::uint32_t>(bits), false);
    if (is_nan(f32_format, want)) {
      ASSERT_TRUE(is_nan(f32_format, got)) << std::hex << bits;
      continue;
    }
    if (is_zero(f32_format, want) && is_zero(f32_format, got)) continue;
    const std::int64_t distance = static_cast<std::int64_t>(got) - static_cast<std::int64_t>(want);
    ASSERT_LE(std::abs(distance), 1) << GetParam().name << std::hex << " of " << bits << ": " << got << " want "
                                     << want;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Approximate, testing::ValuesIn(functions),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ApproximateSpecials, Reciprocal) {
  EXPECT_EQ(approximate_rcp(0, false), infinity32);
  EXPECT_EQ(approximate_rcp(minus, false), infinity32 | minus);
  EXPECT_EQ(approximate_rcp(infinity32, false), 0u);
  EXPECT_EQ(approximate_rcp(infinity32 | minus, false), minus);
  EXPECT_EQ(approximate_rcp(nan32, false), nan32);
  EXPECT_EQ(approximate_rcp(0x00000001, true), infinity32);
  EXPECT_EQ(approximate_rcp(0x7e900000, true), 0u);  // a subnormal result is flushed
}

TEST(ApproximateSpecials, Roots) {
  EXPECT_EQ(approximate_sqrt(minus, false), minus);
  EXPECT_EQ(approximate_sqrt(one32 | minus, false), nan32);
  EXPECT_EQ(approximate_sqrt(infinity32, false), infinity32);
  EXPECT_EQ(approximate_sqrt(0x00000001, true), 0u);
  EXPECT_EQ(approximate_rsqrt(0, false), infinity32);
  EXPECT_EQ(approximate_rsqrt(minus, false), infinity32 | minus);
  EXPECT_EQ(approximate_rsqrt(infinity32, false), 0u);
  EXPECT_EQ(approximate_rsqrt(one32 | minus, false), nan32);
}

TEST(ApproximateSpecials, Transcendental) {
  EXPECT_EQ(approximate_sin(minus, false), minus);
  EXPECT_EQ(approximate_sin(infinity32, false), nan32);
  EXPECT_EQ(approximate_cos(0x00000001, true), one32);
  EXPECT_EQ(approximate_cos(infinity32 | minus, false), nan32);
  EXPECT_EQ(approximate_lg2(0, false), infinity32 | minus);
  EXPECT_EQ(approximate_lg2(minus, false), infinity32 | minus);
  EXPECT_EQ(approximate_lg2(one32 | minus, false), nan32);
  EXPECT_EQ(approximate_lg2(0x00000001, true), infinity32 | minus);
  EXPECT_EQ(approximate_lg2(infinity32, false), infinity32);
  EXPECT_EQ(approximate_ex2(infinity32 | minus, false), 0u);
  EXPECT_EQ(approximate_ex2(infinity32, false), infinity32);
  EXPECT_EQ(approximate_ex2(0x80000001, true), one32);
  EXPECT_EQ(approximate_tanh(infinity32 | minus), one32 | minus);
  EXPECT_EQ(approximate_tanh(minus), minus);
}

TEST(ApproximateSpecials, Division) {
  EXPECT_EQ(approximate_div(one32, 0x7f000000, false), 0u);          // 2^127: out of the exact range, +0
  EXPECT_EQ(approximate_div(infinity32, 0x7f000000, false), nan32);  // and infinity gives NaN
  EXPECT_EQ(approximate_div(one32, 0, false), infinity32);
  EXPECT_EQ(approximate_div(0, 0, false), nan32);
  EXPECT_EQ(approximate_div(0x40400000, 0x40000000, false), 0x3fc00000u);
  EXPECT_EQ(approximate_div_full(0x40400000, 0x7f000000, false), 0x00c00000u);
}

TEST(ApproximateSpecials, UpperHalvesOfF64) {
  EXPECT_EQ(approximate_rcp_f64(0x4000000000000000), 0x3fe0000000000000u);
  EXPECT_EQ(approximate_rcp_f64(0x40000000deadbeef), 0x3fe0000000000000u);
  EXPECT_EQ(approximate_rcp_f64(0), 0x7ff0000000000000u);
  EXPECT_EQ(approximate_rcp_f64(0x8000000000000001), 0xfff0000000000000u);
  EXPECT_EQ(approximate_rsqrt_f64(0x4010000000000000, true), 0x3fe0000000000000u);
  EXPECT_EQ(approximate_rsqrt_f64(0x4010000000000000, false), 0x3fe0000000000000u);
}

TEST(ApproximateBounds, AcceptTheExactResultAndRefuseAFarOne) {
  Instruction inst;
  inst.opcode = Opcode::rcp;
  inst.d.type = Type::f32;
  inst.d.approx = true;
  EXPECT_TRUE(within_bound(inst, 0x40400000, 0, 0x3eaaaaab));
  EXPECT_TRUE(within_bound(inst, 0x40400000, 0, 0x3eaaaaaa));
  EXPECT_FALSE(within_bound(inst, 0x40400000, 0, 0x3eaaaaa8));
  EXPECT_FALSE(within_bound(inst, 0x40400000, 0, 0));
  inst.opcode = Opcode::sin;
  EXPECT_TRUE(within_bound(inst, 0, 0, 0));
  EXPECT_FALSE(within_bound(inst, 0x3f800000, 0, 0x3f000000));
  inst.opcode = Opcode::ex2;
  inst.d.ftz = true;
  EXPECT_TRUE(within_bound(inst, 0xc3000000, 0, 0));  // 2^-128 is flushed
  EXPECT_FALSE(within_bound(inst, 0xc1200000, 0, 0));
}

}  // namespace
}  // namespace heddle::ptx::semantics::test
