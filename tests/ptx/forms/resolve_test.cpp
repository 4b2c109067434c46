// What resolve() says about instructions that no form fits.
#include "ptx/resolve.hpp"

#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "ptx/forms/sample.hpp"
#include "ptx/parser.hpp"

namespace heddle::ptx {
namespace {

std::string message_for(const std::string& instruction) {
  try {
    parse(sample_prologue("9.0", "sm_100a") + instruction + "\nret;\n}\n", "t.ptx");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse_error);
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "accepted";
}

struct Case {
  const char* instruction;
  const char* message;
};

class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, with_a_sentence_that_helps) { EXPECT_EQ(message_for(GetParam().instruction), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Resolve, Refused,
    testing::Values(
        Case{"add.ftz.f64 %rd1, %rd2, %rd3;",
             "found '.ftz' with .f64 in add.ftz.f64, expected .ftz only with .f32, .f32x2, .f16 or .f16x2"},
        Case{"add.relu.f32 %r1, %r2, %r3;",
             "found '.relu', which add never has, expected one of .sat, .cc, .rn, .rz, .rm, .rp or .ftz"},
        Case{"mul.u32 %r1, %r2, %r3;",
             "found mul.u32, expected .lo or .hi as well, as in mul(.lo|.hi)(.u16|.u32|.u64|.s16|.s32|.s64) d, a, b"},
        Case{"add.u32 %r1, %r2;", "found 2 operands, expected 3 operands: add(.u16|.u32|.u64|.s16|.s64) d, a, b"},
        Case{"add.u32 %r1, %r2, %r3, %r4;", "found '%r4', expected 3 operands: add(.u16|.u32|.u64|.s16|.s64) d, a, b"},
        Case{"add.u32 5, %r2, %r3;",
             "found '5', expected a register for operand d of add(.u16|.u32|.u64|.s16|.s64) d, a, b"},
        Case{"add.u32 %r1, [%rd2], %r3;",
             "found '[', expected a register or constant for operand a of add(.u16|.u32|.u64|.s16|.s64) d, a, b"},
        Case{"add.u32 _, %r2, %r3;",
             "found '_', expected a register for operand d of add(.u16|.u32|.u64|.s16|.s64) d, a, b"},
        Case{"lop3.b32 %r1, %r2, %r3, %r4, %r5;",
             "found '%r5', expected a constant for operand lut of lop3.b32 d, a, b, c, lut"},
        Case{"ld.shared.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
             "found '.L2::cache_hint' in ld.shared.L2::cache_hint.u32, expected .L2::cache_hint only with .global or "
             "generic addresses"},
        Case{
            "ld.global.v4.f64 {%rd1,%rd2}, [%rd1];",
            "found '{', expected 4 elements in braces for operand d of ld{.weak}{(.const|.global|...|.shared::cluster)}"
            "{(.ca|.cg|.cs|.lu|.cv)}{.L2::cache_hint}{(.L2::64B|.L2::128B|.L2::256B)}{(.v2|.v4|.v8)}(.b8|.b16|...|.f64)"
            "{.unified} d, [a]{, policy}"},
        Case{"cvt.f32.s32.rn.ftz.sat.u8 %r1, %r2;",
             "found '.u8' in cvt.f32.s32.rn.ftz.sat.u8, expected suffixes as in "
             "cvt(.rn|.rz|.rm|.rp).ftz{.sat}.f32(.u8|.u16|...|.s64) d, a"},
        Case{"bra %r1;", "found '%r1', expected a label or table for operand target of bra{.uni} target"},
        Case{"st.global.u32 %r1, %r2;",
             "found '%r1', expected an address in brackets for operand a of "
             "st{.weak}{(.global|.local|...|.shared::cluster)}"
             "{(.wb|.cg|.cs|.wt)}{.L2::cache_hint}{(.v2|.v4|.v8)}(.b8|.b16|...|.f64) [a], b{, policy}"}));

TEST(Resolve, takes_a_vector_of_one_for_a_scalar) {
  const Module module = parse(
      sample_prologue("9.0", "sm_100a") + "ld.global.u32 {%r1}, [%rd1];\nst.global.u32 [%rd1], {%r1};\nret;\n}\n", "t");
  EXPECT_TRUE(module.functions.back().body[0].operands[0].is_reg());
  EXPECT_TRUE(module.functions.back().body[1].operands[1].is_reg());
}

}  // namespace
}  // namespace heddle::ptx
