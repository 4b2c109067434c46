#include <gtest/gtest.h>

#include "device/cpu_codegen/arithmetic_harness.hpp"

namespace heddle::test {
namespace {

TEST(HalfArithmetic, F16) {
  for (const char* mode : {"", ".ftz", ".sat", ".ftz.sat"}) {
    const std::string m = mode;
    for (const char* name : {"add", "sub", "mul"}) {
      const std::string n = name;
      expect_exact_all({n + m + ".f16 %h0, %h1, %h2", n + ".rn" + m + ".f16x2 %r0, %r1, %r2"}, 6000);
    }
    expect_exact_all({"fma.rn" + m + ".f16 %h0, %h1, %h2, %h3", "fma.rn" + m + ".f16x2 %r0, %r1, %r2, %r3"}, 20000);
  }
  for (const char* mode : {".relu", ".ftz.relu"})
    expect_exact_all({std::string("fma.rn") + mode + ".f16 %h0, %h1, %h2, %h3",
                      std::string("fma.rn") + mode + ".f16x2 %r0, %r1, %r2, %r3"},
                     6000);
}

TEST(HalfArithmetic, Bf16) {
  for (const char* name : {"add", "sub", "mul"}) {
    const std::string n = name;
    expect_exact_all({n + ".bf16 %h0, %h1, %h2", n + ".rn.bf16x2 %r0, %r1, %r2"}, 6000);
  }
  expect_exact_all({"fma.rn.bf16 %h0, %h1, %h2, %h3", "fma.rn.relu.bf16 %h0, %h1, %h2, %h3",
                    "fma.rn.bf16x2 %r0, %r1, %r2, %r3", "fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3"},
                   20000);
}

// Sums that lie at a tie of the format, a hair above and a hair below it: rounding twice would get them wrong.
TEST(HalfArithmetic, FusedTies) {
  for (const char* text : {"fma.rn.f16 %h0, %h1, %h2, %h3", "fma.rn.bf16 %h0, %h1, %h2, %h3"}) {
    const TestInstruction test = parse_instruction(text);
    const bool brain = test.inst().d.type == ptx::Type::bf16;
    const unsigned fraction = brain ? 7 : 10;
    const std::uint64_t one = brain ? 0x3f80 : 0x3c00, tiny = brain ? 0x0080 : 0x0400;
    Batch batch;
    batch.inputs.resize(3);
    for (std::uint64_t x = 0; x < (1u << fraction); x += 3)
      for (std::uint64_t y = 1; y < (1u << fraction); y += brain ? 5 : 97)
        for (std::uint64_t z : {std::uint64_t{0}, std::uint64_t{1}, tiny, tiny | 0x8000, std::uint64_t{0x8001},
                                one - 5 * (1u << fraction)}) {
          batch.inputs[0].push_back(one + x);
          batch.inputs[1].push_back(one + y);
          batch.inputs[2].push_back(z);
        }
    batch.carry.resize(batch.inputs[0].size());
    expect_exact(test, batch);
  }
}

TEST(HalfArithmetic, MinimumMaximumSigns) {
  for (const char* name : {"min", "max"})
    for (const char* mode : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"}) {
      const std::string text = std::string(name) + mode;
      const std::string flushed = std::string(name) + ".ftz" + mode;
      expect_exact_all({text + ".f16 %h0, %h1, %h2", text + ".f16x2 %r0, %r1, %r2", flushed + ".f16 %h0, %h1, %h2",
                        text + ".bf16 %h0, %h1, %h2", text + ".bf16x2 %r0, %r1, %r2"});
    }
  for (const char* name : {"abs", "neg"}) {
    const std::string n = name;
    expect_exact_all({n + ".f16 %h0, %h1", n + ".ftz.f16 %h0, %h1", n + ".f16x2 %r0, %r1", n + ".ftz.f16x2 %r0, %r1",
                      n + ".bf16 %h0, %h1", n + ".bf16x2 %r0, %r1"});
  }
}

TEST(HalfArithmetic, MixedPrecision) {
  for (const char* rounding : {"", ".rz", ".rp"})
    for (const char* type : {"f16", "bf16"}) {
      const std::string r = rounding, t = type;
      expect_exact_all({"add" + r + ".f32." + t + " %r0, %h1, %r2", "sub" + r + ".sat.f32." + t + " %r0, %h1, %r2"});
      expect_exact("fma" + (r.empty() ? ".rn" : r) + ".f32." + t + " %r0, %h1, %h2, %r3");
    }
}

}  // namespace
}  // namespace heddle::test
