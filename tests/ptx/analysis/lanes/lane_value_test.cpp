#include "ptx/analysis/lanes/lane_value.hpp"

#include <gtest/gtest.h>

namespace heddle::ptx::analysis {
namespace {

LaneValue digit(std::int64_t step, unsigned zeros) {
  LaneValue value = LaneValue::make_uniform(false);
  value.stride[0] = step;
  value.base_zeros = static_cast<std::uint8_t>(zeros);
  return value;
}

TEST(LaneModel, RowsHoldTheirLanesInX) {
  const LaneModel model = LaneModel::for_block({64, 4, 1}, 32);
  EXPECT_EQ(model.tid[0].component, LaneModel::Component::digit0);
  EXPECT_EQ(model.tid[0].multiple, 32u);
  EXPECT_EQ(model.tid[1].component, LaneModel::Component::uniform);
  EXPECT_EQ(model.tid[2].multiple, 0u);  // always 0
}

TEST(LaneModel, GroupsOfSeveralRows) {
  const LaneModel model = LaneModel::for_block({16, 16, 1}, 32);
  EXPECT_EQ(model.tid[0].multiple, 0u);
  EXPECT_EQ(model.tid[1].component, LaneModel::Component::digit1);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(model.digit(0, lane), lane % 16);
    EXPECT_EQ(model.digit(1, lane), lane / 16);
    EXPECT_EQ(model.digit(2, lane), 0u);
  }
}

TEST(LaneModel, GroupsOfSeveralPlanes) {
  const LaneModel model = LaneModel::for_block({4, 4, 4}, 32);
  EXPECT_EQ(model.tid[2].component, LaneModel::Component::digit2);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(model.digit(1, lane), lane / 4 % 4);
    EXPECT_EQ(model.digit(2, lane), lane / 16);
  }
}

TEST(LaneModel, ExtentsThatDoNotFitVary) {
  const LaneModel model = LaneModel::for_block({24, 2, 1}, 32);
  EXPECT_EQ(model.tid[0].component, LaneModel::Component::varying);
  EXPECT_EQ(model.ntid[0], 24u);
}

TEST(LaneArithmetic, LowBitsComeApartFromTheBase) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  const LaneValue tid = digit(1, 5);
  const LaneValue lane = arithmetic.bit_and(tid, LaneValue::constant(31, 32), 32);
  EXPECT_EQ(lane.stride[0], 1);
  EXPECT_EQ(lane.base_zeros, 64);  // lane 0 has 0
  const LaneValue warp = arithmetic.shift_right(tid, LaneValue::constant(5, 32), false, 32);
  EXPECT_TRUE(warp.uniform());
  EXPECT_EQ(arithmetic.shift_right(tid, LaneValue::constant(4, 32), false, 32).kind, LaneValue::Kind::varying);
  EXPECT_EQ(arithmetic.shift_right(digit(1, 2), LaneValue::constant(5, 32), false, 32).kind, LaneValue::Kind::varying);
  const LaneValue even = arithmetic.shift_right(digit(8, 8), LaneValue::constant(3, 32), true, 32);
  EXPECT_EQ(even.stride[0], 1);
}

TEST(LaneArithmetic, OrOfDisjointBitsIsASum) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  LaneValue tid = digit(1, 5);
  tid.range = {0, 255, false};
  LaneValue start = LaneValue::make_uniform(true);
  start.base_zeros = 8;
  EXPECT_EQ(arithmetic.bit_or(start, tid, 32, false).stride[0], 1);
  start.base_zeros = 7;
  EXPECT_EQ(arithmetic.bit_or(start, tid, 32, false).kind, LaneValue::Kind::varying);
}

TEST(LaneArithmetic, WideningNeedsACheckUnlessBoundsForbidWrapping) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  bool check = false;
  LaneValue index = digit(1, 0);
  arithmetic.extend(index, true, 32, 64, check);
  EXPECT_TRUE(check);
  index.range = {0, INT32_MAX, false};
  arithmetic.extend(index, true, 32, 64, check);
  EXPECT_FALSE(check);
  index.range = {-5, INT32_MAX, false};
  arithmetic.extend(index, true, 32, 64, check);
  EXPECT_FALSE(check);
  arithmetic.extend(index, false, 32, 64, check);
  EXPECT_TRUE(check);
  arithmetic.extend(digit(1, 5), false, 32, 64, check);  // the lanes fill zeros of the base
  EXPECT_FALSE(check);
  arithmetic.extend(digit(-1, 5), false, 32, 64, check);
  EXPECT_TRUE(check);
}

TEST(LaneArithmetic, JoinsKeepEqualStrides) {
  EXPECT_EQ(join(digit(4, 2), digit(4, 7), 32).base_zeros, 2);
  EXPECT_EQ(join(digit(4, 2), digit(8, 2), 32).kind, LaneValue::Kind::varying);
  EXPECT_TRUE(join(LaneValue::constant(3, 32), LaneValue::constant(9, 32), 32).uniform());
}

TEST(LaneArithmetic, TwoDigitsThatMakeTheLaneNumber) {
  const LaneModel model = LaneModel::for_block({16, 16, 1}, 32);
  const LaneArithmetic arithmetic(model);
  LaneValue x = LaneValue::make_uniform(false), y = x;
  x.stride[0] = 1;
  y.stride[1] = 1;
  const LaneValue linear = arithmetic.add(arithmetic.multiply(y, LaneValue::constant(16, 32), 32), x, 32);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(arithmetic.offset(linear, lane), lane);
}

}  // namespace
}  // namespace heddle::ptx::analysis
