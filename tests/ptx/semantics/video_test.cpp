#include "ptx/semantics/video.hpp"

#include <gtest/gtest.h>

namespace heddle::ptx::semantics::test {
namespace {

constexpr VideoPart word{32, 0};

TEST(Video, PartsAreExtendedBySign) {
  VideoMode mode;
  mode.op = VideoOp::add;
  EXPECT_EQ(video_scalar(mode, word, 0x0000ff00, {8, 1}, 1, word, 0), 0x100u);
  mode.a_signed = true;
  EXPECT_EQ(video_scalar(mode, word, 0x0000ff00, {8, 1}, 1, word, 0), 0u);
  EXPECT_EQ(video_scalar(mode, word, 0x80000000, {16, 1}, 0, word, 0), 0xffff8000u);
}

TEST(Video, SaturationFollowsTheDestinationPart) {
  VideoMode mode;
  mode.op = VideoOp::add;
  mode.sat = true;
  EXPECT_EQ(video_scalar(mode, {8, 2}, 200, word, 100, word, 0x11223344), 0x11ff3344u);
  mode.d_signed = true;
  EXPECT_EQ(video_scalar(mode, {16, 0}, 40000, word, 100, word, 0x11223344), 0x11227fffu);
  EXPECT_EQ(video_scalar(mode, word, 0xffffffff, word, 0xffffffff, word, 0), 0x7fffffffu);
}

TEST(Video, SecondOperations) {
  VideoMode mode;
  mode.op = VideoOp::absdiff;
  mode.second = VideoSecond::add;
  EXPECT_EQ(video_scalar(mode, word, 3, word, 10, word, 100), 107u);
  mode.second = VideoSecond::max;
  EXPECT_EQ(video_scalar(mode, word, 3, word, 10, word, 100), 100u);
  mode.second = VideoSecond::min;
  EXPECT_EQ(video_scalar(mode, word, 3, word, 10, word, 100), 7u);
}

TEST(Video, Shifts) {
  VideoMode mode;
  mode.op = VideoOp::shl;
  EXPECT_EQ(video_scalar(mode, word, 1, word, 40, word, 0), 0u);
  mode.wrap = true;
  EXPECT_EQ(video_scalar(mode, word, 1, word, 40, word, 0), 0x100u);
  mode.op = VideoOp::shr;
  mode.a_signed = mode.d_signed = true;
  EXPECT_EQ(video_scalar(mode, word, 0x80000000, word, 4, word, 0), 0xf8000000u);
}

TEST(Video, MultiplyAddScalesAndSaturates) {
  VideoMadMode mode;
  EXPECT_EQ(video_mad(mode, 100, word, 200, word, 5), 20005u);
  mode.shift = 7;
  EXPECT_EQ(video_mad(mode, 128, word, 2, word, 0), 2u);
  mode.shift = 0;
  mode.sat = true;
  EXPECT_EQ(video_mad(mode, 0xffffffff, word, 0xffffffff, word, 0), 0xffffffffu);
  mode.a_negated = true;
  EXPECT_EQ(video_mad(mode, 3, word, 4, word, 20), 8u);
  mode.a_negated = false;
  mode.c_negated = true;
  EXPECT_EQ(video_mad(mode, 3, word, 4, word, 20), static_cast<std::uint32_t>(-8));
  mode.c_negated = false;
  mode.plus_one = true;
  EXPECT_EQ(video_mad(mode, 3, word, 4, word, 20), 33u);
}

TEST(Video, SimdLanes) {
  VideoMode mode;
  mode.op = VideoOp::add;
  EXPECT_EQ(video_simd(mode, 2, 0xffff0001, {0, 1}, 0x00010002, {2, 3}, 0, 3), 0x00000003u);
  mode.sat = true;
  EXPECT_EQ(video_simd(mode, 2, 0xffff0001, {0, 1}, 0x00010002, {2, 3}, 0, 3), 0xffff0003u);
  EXPECT_EQ(video_simd(mode, 2, 0xffff0001, {1, 0}, 0x00010002, {2, 3}, 0, 3), 0x0002ffffu);
  EXPECT_EQ(video_simd(mode, 4, 0x01020304, {0, 1, 2, 3}, 0x01010101, {4, 5, 6, 7}, 0xaabbccdd, 5), 0xaa03cc05u);
  mode.op = VideoOp::average;
  mode.d_signed = mode.a_signed = mode.b_signed = true;
  EXPECT_EQ(video_simd(mode, 4, 0x03fdff00, {0, 1, 2, 3}, 0x04000000, {4, 5, 6, 7}, 0, 15), 0x04feff00u);
  VideoMode sum;
  sum.op = VideoOp::absdiff;
  sum.second = VideoSecond::add;
  EXPECT_EQ(video_simd(sum, 4, 0x01020304, {0, 1, 2, 3}, 0x04030201, {4, 5, 6, 7}, 1000, 15), 1008u);
  VideoMode compare;
  compare.op = VideoOp::set;
  compare.compare = Compare::lt;
  EXPECT_EQ(video_simd(compare, 4, 0x01020304, {0, 1, 2, 3}, 0x04030201, {4, 5, 6, 7}, 0, 15), 0x01010000u);
}

}  // namespace
}  // namespace heddle::ptx::semantics::test
