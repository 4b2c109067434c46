// Every operand of instructions with one 16-bit (or smaller) operand.
#include <gtest/gtest.h>

#include "device/cpu_codegen/arithmetic_harness.hpp"

namespace heddle::test {
namespace {

Batch all_of_16_bits() {
  Batch batch;
  batch.inputs.resize(1);
  for (std::uint64_t value = 0; value < 0x10000; ++value) batch.inputs[0].push_back(value);
  batch.carry.resize(0x10000);
  return batch;
}

TEST(Exhaustive, SixteenBitOperands) {
  const Batch batch = all_of_16_bits();
  for (const char* text : {"cvt.f32.f16 %r0, %h1",         "cvt.f64.f16 %d0, %h1",        "cvt.f32.bf16 %r0, %h1",
                           "cvt.rni.f16.f16 %h0, %h1",     "cvt.rmi.f16.f16 %h0, %h1",    "cvt.sat.f16.f16 %h0, %h1",
                           "cvt.rni.s32.f16 %r0, %h1",     "cvt.rzi.u64.f16 %d0, %h1",    "cvt.rpi.s16.f16 %h0, %h1",
                           "cvt.rzi.u8.f16 %r0, %h1",      "cvt.rn.f16.u16 %h0, %h1",     "cvt.rn.f16.s16 %h0, %h1",
                           "cvt.rz.f16.u16 %h0, %h1",      "cvt.rn.bf16.s16 %h0, %h1",    "cvt.rni.s32.bf16 %r0, %h1",
                           "abs.ftz.f16 %h0, %h1",         "neg.ftz.f16 %h0, %h1",        "add.sat.f16 %h0, %h1, 0",
                           "cvt.rn.f16x2.e5m2x2 %r0, %h1", "cvt.rn.f16x2.e4m3x2 %r0, %h1"})
    expect_exact(parse_instruction(text), batch);
}

// Rounding an f32 to 16 bits: every upper half with lower halves around the tie.
TEST(Exhaustive, RoundingToSixteenBits) {
  Batch batch;
  batch.inputs.resize(1);
  for (std::uint64_t upper = 0; upper < 0x10000; ++upper)
    for (std::uint64_t lower : {0x0000, 0x0001, 0x7fff, 0x8000, 0x8001, 0xffff})
      batch.inputs[0].push_back(upper << 16 | lower);
  batch.carry.resize(batch.inputs[0].size());
  expect_exact(parse_instruction("cvt.rn.bf16.f32 %h0, %r1"), batch);
  Batch half = batch;
  for (std::uint64_t& value : half.inputs[0]) {  // f16 keeps three more bits: move the tie there
    const std::uint64_t lower = value & 0xffff;
    value = (value & 0xffffe000) | (lower == 0x7fff   ? 0xfff
                                    : lower == 0x8000 ? 0x1000
                                    : lower == 0x8001 ? 0x1001
                                                      : lower & 0x1fff);
  }
  expect_exact(parse_instruction("cvt.rn.f16.f32 %h0, %r1"), half);
  // Through f64, with bits beyond f32's that decide the tie.
  Batch wide;
  wide.inputs.resize(1);
  for (std::uint64_t upper = 0x37f; upper < 0x47f; ++upper)
    for (std::uint64_t fraction = 0; fraction < 0x1000; fraction += 5)
      for (std::uint64_t tail :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x1ffffffff}, std::uint64_t{0x10000000000} - 1,
            std::uint64_t{0x8000000000}, std::uint64_t{0x8000000001}, std::uint64_t{0x7fffffffff}})
        wide.inputs[0].push_back(upper << 52 | fraction << 40 | tail);
  wide.carry.resize(wide.inputs[0].size());
  for (std::size_t k = 0; k < wide.size(); k += 2) wide.inputs[0][k] |= std::uint64_t{1} << 63;
  expect_exact(parse_instruction("cvt.rn.f16.f64 %h0, %d1"), wide);
}

}  // namespace
}  // namespace heddle::test
