#include <gtest/gtest.h>

#include "device/cpu_codegen/arithmetic_harness.hpp"

namespace heddle::test {
namespace {

const std::string roundings[] = {"", ".rn", ".rz", ".rm", ".rp"};
const std::string explicit_roundings[] = {".rn", ".rz", ".rm", ".rp"};

std::string f32(unsigned sources) {
  std::string text = "f32 %r0";
  for (unsigned i = 1; i <= sources; ++i) text += ", %r" + std::to_string(i);
  return text;
}
std::string f64(unsigned sources) {
  std::string text = "f64 %d0";
  for (unsigned i = 1; i <= sources; ++i) text += ", %d" + std::to_string(i);
  return text;
}

TEST(FloatArithmetic, AddSubtractMultiply) {
  for (const char* name : {"add", "sub", "mul"})
    for (const std::string& rounding : roundings) {
      for (const char* mode : {"", ".ftz", ".sat", ".ftz.sat"}) expect_exact(name + rounding + mode + "." + f32(2));
      expect_exact(name + rounding + "." + f64(2));
    }
}

TEST(FloatArithmetic, FusedMultiplyAdd) {
  for (const char* name : {"fma", "mad"})
    for (const std::string& rounding : explicit_roundings) {
      for (const char* mode : {"", ".ftz", ".sat", ".ftz.sat"})
        expect_exact(name + rounding + mode + "." + f32(3), 6000);
      expect_exact(name + rounding + "." + f64(3), 6000);
    }
}

TEST(FloatArithmetic, DivisionAndRoots) {
  for (const std::string& rounding : explicit_roundings) {
    for (const char* mode : {"", ".ftz"}) {
      expect_exact("div" + rounding + mode + "." + f32(2));
      expect_exact("rcp" + rounding + mode + "." + f32(1));
      expect_exact("sqrt" + rounding + mode + "." + f32(1));
    }
    expect_exact("div" + rounding + "." + f64(2));
    expect_exact("rcp" + rounding + "." + f64(1));
    expect_exact("sqrt" + rounding + "." + f64(1));
  }
}

TEST(FloatArithmetic, PairsOfF32) {
  for (const std::string& rounding : explicit_roundings)
    for (const char* mode : {"", ".ftz"}) {
      expect_exact("add" + rounding + mode + ".f32x2 %d0, %d1, %d2");
      expect_exact("mul" + rounding + mode + ".f32x2 %d0, %d1, %d2");
      expect_exact("fma" + rounding + mode + ".f32x2 %d0, %d1, %d2, %d3");
    }
}

TEST(FloatArithmetic, MinimumAndMaximum) {
  for (const char* name : {"min", "max"}) {
    const std::string n = name;
    for (const char* mode : {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs", ".ftz.xorsign.abs"})
      expect_exact(n + mode + "." + f32(2));
    for (const char* mode : {"", ".ftz", ".NaN", ".abs", ".NaN.abs"}) expect_exact(n + mode + "." + f32(3));
    expect_exact(n + "." + f64(2));
  }
}

TEST(FloatArithmetic, MinimumWithConstants) {
  for (const char* name : {"min", "max"}) {
    for (const char* constant : {"0f00000000", "0f80000000", "0f3f800000", "0fbf800000", "0f7f800000", "0f7fffffff"}) {
      expect_exact(std::string(name) + ".f32 %r0, %r1, " + constant);
      expect_exact(std::string(name) + ".f32 %r0, " + constant + ", %r1");
      expect_exact(std::string(name) + ".NaN.f32 %r0, %r1, " + constant);
    }
    expect_exact(std::string(name) + ".f64 %d0, %d1, 0d0000000000000000");
    expect_exact(std::string(name) + ".f64 %d0, %d1, 0d8000000000000000");
  }
}

TEST(FloatArithmetic, SignsAndProperties) {
  for (const char* name : {"abs", "neg"}) {
    for (const char* mode : {".", ".ftz."}) expect_exact(std::string(name) + mode + f32(1));
    expect_exact(std::string(name) + "." + f64(1));
  }
  expect_exact("copysign." + f32(2));
  expect_exact("copysign." + f64(2));
  for (const char* property : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    expect_exact_all(
        {std::string("testp.") + property + ".f32 %p0, %r1", std::string("testp.") + property + ".f64 %p0, %d1"});
}

TEST(Comparison, Predicates) {
  for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge"})
    for (const char* operands :
         {"s16 %p0|%p1, %h1, %h2", "s32 %p0|%p1, %r1, %r2", "s64 %p0, %d1, %d2", "u32 %p0, %r1, 5"})
      expect_exact(std::string("setp.") + compare + "." + operands, 1500);
  for (const char* compare : {"eq", "ne", "lo", "ls", "hi", "hs"})
    for (const char* operands : {"u16 %p0|%p1, %h1, %h2", "u32 %p0, %r1, %r2", "u64 %p0, %d1, %d2"})
      expect_exact(std::string("setp.") + compare + "." + operands, 1500);
  for (const char* compare :
       {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
    for (const char* operands :
         {"f32 %p0|%p1, %r1, %r2", "ftz.f32 %p0, %r1, %r2", "f64 %p0, %d1, %d2", "f16 %p0, %h1, %h2",
          "ftz.f16 %p0, %h1, %h2", "bf16 %p0, %h1, %h2", "f16x2 %p0|%p1, %r1, %r2", "ftz.f16x2 %p0|%p1, %r1, %r2",
          "bf16x2 %p0|%p1, %r1, %r2"}) {
      expect_exact(std::string("setp.") + compare + "." + operands, 1500);
    }
  for (const char* combine : {"and", "or", "xor"}) {
    const std::string c = combine;
    expect_exact_all({"setp.lt." + c + ".s32 %p0|%p1, %r1, %r2, %p2", "setp.geu." + c + ".f32 %p0|%p1, %r1, %r2, %p2",
                      "setp.lt." + c + ".f16x2 %p0|%p1, %r1, %r2, %p2"},
                     1500);
  }
}

TEST(Comparison, Values) {
  expect_exact_all({"set.eq.u32.b32 %r0, %r1, %r2", "set.lt.s32.s64 %r0, %d1, %d2", "set.hi.f32.u16 %r0, %h1, %h2",
                    "set.gtu.u32.f32 %r0, %r1, %r2", "set.le.ftz.f32.f32 %r0, %r1, %r2",
                    "set.num.s32.f64 %r0, %d1, %d2", "set.lt.and.u32.s32 %r0, %r1, %r2, %p1",
                    "set.neu.xor.f32.f32 %r0, %r1, %r2, %p1", "set.lt.f16.f16 %h0, %h1, %h2",
                    "set.lt.u16.f16 %h0, %h1, %h2", "set.ge.u32.f16 %r0, %h1, %h2", "set.lt.f16x2.f16x2 %r0, %r1, %r2",
                    "set.lt.u32.f16x2 %r0, %r1, %r2", "set.ltu.bf16x2.bf16x2 %r0, %r1, %r2",
                    "set.eq.bf16.bf16 %h0, %h1, %h2", "set.lt.or.f16x2.f16x2 %r0, %r1, %r2, %p1",
                    "set.lt.and.f16x2.f16x2 %r0, %r1, %r2, %p1", "set.eq.f16.u32 %h0, %r1, %r2"});
}

TEST(Selection, ByPredicateAndSign) {
  expect_exact_all({"selp.b16 %h0, %h1, %h2, %p1", "selp.b32 %r0, %r1, %r2, %p1", "selp.b64 %d0, %d1, %d2, %p1",
                    "selp.f32 %f0, %f1, %f2, %p1", "selp.f64 %d0, %d1, %d2, %p1", "selp.s32 %r0, 1, 0, %p1",
                    "slct.u32.s32 %r0, %r1, %r2, %r3", "slct.f32.f32 %r0, %r1, %r2, %r3",
                    "slct.ftz.u64.f32 %d0, %d1, %d2, %r3", "slct.b16.s32 %h0, %h1, %h2, %r3"});
}

}  // namespace
}  // namespace heddle::test
