#include <gtest/gtest.h>

#include "device/cpu_codegen/arithmetic_harness.hpp"

namespace heddle::test {
namespace {

const std::string integers[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};

std::string reg_of(const std::string& type) {
  if (type == "u8" || type == "s8") return "r";  // wider than the type, as compilers write it
  if (type == "f16" || type == "bf16" || type == "u16" || type == "s16") return "h";
  return type == "f64" || type == "u64" || type == "s64" ? "d" : "r";
}

std::string cvt(const std::string& modes, const std::string& to, const std::string& from) {
  return "cvt" + modes + "." + to + "." + from + " %" + reg_of(to) + "0, %" + reg_of(from) + "1";
}

// .sat stands only where the range of the type can be left.
bool saturates(const std::string& to, const std::string& from) {
  const int to_width = std::stoi(to.substr(1)), from_width = std::stoi(from.substr(1));
  if (to[0] == from[0]) return to_width < from_width;
  return from[0] == 's' ? true : to_width <= from_width;
}

TEST(Conversion, BetweenIntegers) {
  for (const std::string& to : integers)
    for (const std::string& from : integers) {
      expect_exact(cvt("", to, from), 700);
      if (saturates(to, from)) expect_exact(cvt(".sat", to, from), 700);
    }
}

TEST(Conversion, FloatToInteger) {
  for (const std::string& to : integers)
    for (const char* rounding : {".rni", ".rzi", ".rmi", ".rpi"}) {
      for (const char* from : {"f16", "f32", "f64"}) expect_exact(cvt(rounding, to, from), 1200);
      expect_exact(cvt(std::string(rounding) + ".ftz", to, "f32"), 700);
      expect_exact(cvt(rounding, to, "bf16"), 700);
    }
}

TEST(Conversion, IntegerToFloat) {
  for (const std::string& from : integers)
    for (const char* rounding : {".rn", ".rz", ".rm", ".rp"}) {
      for (const char* to : {"f16", "f32", "f64"}) expect_exact(cvt(rounding, to, from), 1200);
      expect_exact(cvt(std::string(rounding) + ".sat", "f32", from), 500);
      expect_exact(cvt(rounding, "bf16", from), 700);
    }
}

TEST(Conversion, BetweenFloats) {
  for (const char* rounding : {".rn", ".rz", ".rm", ".rp"}) {
    for (const char* mode : {"", ".ftz", ".sat"}) expect_exact(cvt(rounding + std::string(mode), "f32", "f64"), 4000);
    expect_exact(cvt(rounding, "f16", "f32"), 4000);
    expect_exact(cvt(rounding, "f16", "f64"), 4000);
    if (rounding == std::string(".rn")) expect_exact(cvt(rounding, "bf16", "f64"), 4000);
    expect_exact(cvt(rounding + std::string(".sat"), "f16", "f32"), 2000);
  }
  for (const char* rounding : {"", ".rni", ".rzi", ".rmi", ".rpi"}) {
    for (const char* mode : {"", ".ftz", ".sat", ".ftz.sat"})
      expect_exact(cvt(rounding + std::string(mode), "f32", "f32"));
    for (const char* mode : {"", ".sat"}) {
      expect_exact(cvt(rounding + std::string(mode), "f64", "f64"));
      expect_exact(cvt(rounding + std::string(mode), "f16", "f16"));
    }
  }
  for (const char* mode : {"", ".ftz", ".sat"}) {
    expect_exact(cvt(mode, "f64", "f32"));
    expect_exact(cvt(mode, "f32", "f16"));
  }
  expect_exact(cvt("", "f64", "f16"));
  expect_exact(cvt(".sat", "f64", "f16"));
  expect_exact(cvt("", "f32", "bf16"));
}

TEST(Conversion, SixteenBitFormatsFromF32) {
  for (const char* rounding : {".rn", ".rz"})
    for (const char* mode : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
      const std::string m = std::string(rounding) + mode;
      expect_exact_all({cvt(m, "f16", "f32"), cvt(m, "bf16", "f32"), "cvt" + m + ".f16x2.f32 %r0, %r1, %r2",
                        "cvt" + m + ".bf16x2.f32 %r0, %r1, %r2", "cvt" + m + ".tf32.f32 %r0, %r1"});
    }
  expect_exact_all({"cvt.rna.tf32.f32 %r0, %r1", "cvt.rna.satfinite.tf32.f32 %r0, %r1"});
  for (const char* mode : {"", ".relu", ".satfinite"})
    expect_exact_all({std::string("cvt.rs") + mode + ".f16x2.f32 %r0, %r1, %r2, %r3",
                      std::string("cvt.rs") + mode + ".bf16x2.f32 %r0, %r1, %r2, %r3"});
}

TEST(Conversion, SmallFormats) {
  for (const char* mode : {"", ".relu"}) {
    const std::string m = mode;
    for (const char* type : {"e4m3x2", "e5m2x2"}) {
      const std::string t = type;
      expect_exact_all({"cvt.rn.satfinite" + m + "." + t + ".f32 %h0, %r1, %r2",
                        "cvt.rn.satfinite" + m + "." + t + ".f16x2 %h0, %r1",
                        "cvt.rn" + m + ".f16x2." + t + " %r0, %h1"});
    }
    for (const char* type : {"e2m3x2", "e3m2x2"}) {
      const std::string t = type;
      expect_exact_all(
          {"cvt.rn.satfinite" + m + "." + t + ".f32 %h0, %r1, %r2", "cvt.rn" + m + ".f16x2." + t + " %r0, %h1"});
    }
    expect_exact_all({"cvt.rn.satfinite" + m + ".e2m1x2.f32 %b0, %r1, %r2", "cvt.rn" + m + ".f16x2.e2m1x2 %r0, %b1"});
  }
  for (const char* rounding : {".rz", ".rp"})
    for (const char* mode : {"", ".satfinite"}) {
      const std::string m = std::string(rounding) + mode;
      expect_exact_all({"cvt" + m + ".ue8m0x2.f32 %h0, %r1, %r2", "cvt" + m + ".ue8m0x2.bf16x2 %h0, %r1"});
    }
  expect_exact("cvt.rn.bf16x2.ue8m0x2 %r0, %h1");
}

TEST(Conversion, PackedIntegers) {
  expect_exact_all({"cvt.pack.sat.u16.s32 %r0, %r1, %r2", "cvt.pack.sat.s16.s32 %r0, %r1, %r2",
                    "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3", "cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3",
                    "cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, %r3", "cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3"});
}

}  // namespace
}  // namespace heddle::test
