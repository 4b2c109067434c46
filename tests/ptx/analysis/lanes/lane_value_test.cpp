#include "ptx/analysis/lanes/lane_value.hpp"

#include <gtest/gtest.h>

namespace heddle::ptx::analysis {
namespace {

// A multiple of the lane number, of 32 lanes, and a base with so many trailing zeros.
LaneValue linear(std::int64_t step, unsigned zeros) {
  LaneValue value = LaneValue::make_uniform(false);
  for (unsigned bit = 0; bit < lane_bits; ++bit) value.steps[bit] = step << bit;
  value.base_zeros = static_cast<std::uint8_t>(zeros);
  return value;
}

// The numbers of all lanes in the bits of a component.
std::vector<std::int64_t> numbers(const LaneModel& model, unsigned dimension) {
  LaneValue value = LaneValue::make_uniform(false);
  value.steps = model.steps_of(model.tid[dimension]);
  std::vector<std::int64_t> list;
  for (unsigned lane = 0; lane < model.lanes; ++lane) list.push_back(LaneArithmetic(model).offset(value, lane));
  return list;
}

TEST(LaneModel, RowsHoldTheirLanesInX) {
  const LaneModel model = LaneModel::for_block({64, 4, 1}, 32);
  EXPECT_EQ(model.tid[0].bits, 5u);
  EXPECT_EQ(model.tid[0].multiple, 32u);
  EXPECT_TRUE(model.tid[1].known);
  EXPECT_EQ(model.tid[1].bits, 0u);
  EXPECT_EQ(model.tid[2].multiple, 0u);  // always 0
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(numbers(model, 0)[lane], lane);
}

TEST(LaneModel, GroupsOfSeveralRows) {
  const LaneModel model = LaneModel::for_block({16, 16, 1}, 32);
  EXPECT_EQ(model.tid[0].multiple, 0u);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(numbers(model, 0)[lane], lane % 16);
    EXPECT_EQ(numbers(model, 1)[lane], lane / 16);
    EXPECT_EQ(numbers(model, 2)[lane], 0u);
  }
}

TEST(LaneModel, GroupsOfSeveralPlanes) {
  const LaneModel model = LaneModel::for_block({4, 4, 4}, 32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(numbers(model, 1)[lane], lane / 4 % 4);
    EXPECT_EQ(numbers(model, 2)[lane], lane / 16);
  }
}

TEST(LaneModel, ExtentsThatDoNotFitVary) {
  const LaneModel model = LaneModel::for_block({24, 2, 1}, 32);
  EXPECT_FALSE(model.tid[0].known);
  EXPECT_EQ(model.ntid[0], 24u);
}

TEST(LaneArithmetic, LowBitsComeApartFromTheBase) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  const LaneValue tid = linear(1, 5);
  const LaneValue lane = arithmetic.bit_and(tid, LaneValue::constant(31, 32), 32);
  EXPECT_EQ(lane.steps, (LaneSteps{1, 2, 4, 8, 16}));
  EXPECT_EQ(lane.base_zeros, 64);  // lane 0 has 0
  const LaneValue warp = arithmetic.shift_right(tid, LaneValue::constant(5, 32), false, 32);
  EXPECT_TRUE(warp.uniform());
  EXPECT_EQ(arithmetic.shift_right(tid, LaneValue::constant(4, 32), false, 32).steps, (LaneSteps{0, 0, 0, 0, 1}));
  EXPECT_EQ(arithmetic.shift_right(linear(1, 2), LaneValue::constant(5, 32), false, 32).kind, LaneValue::Kind::varying);
  const LaneValue even = arithmetic.shift_right(linear(8, 8), LaneValue::constant(3, 32), true, 32);
  EXPECT_EQ(even.steps, (LaneSteps{1, 2, 4, 8, 16}));
}

TEST(LaneArithmetic, OrOfDisjointBitsIsASum) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  LaneValue tid = linear(1, 5);
  tid.range = {0, 255, false};
  LaneValue start = LaneValue::make_uniform(true);
  start.base_zeros = 8;
  EXPECT_EQ(arithmetic.bit_or(start, tid, 32, false).steps, (LaneSteps{1, 2, 4, 8, 16}));
  start.base_zeros = 7;
  EXPECT_EQ(arithmetic.bit_or(start, tid, 32, false).kind, LaneValue::Kind::varying);
}

TEST(LaneArithmetic, WideningNeedsACheckUnlessBoundsForbidWrapping) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  bool check = false;
  LaneValue index = linear(1, 0);
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
  arithmetic.extend(linear(1, 5), false, 32, 64, check);  // the lanes fill zeros of the base
  EXPECT_FALSE(check);
  arithmetic.extend(linear(-1, 5), false, 32, 64, check);
  EXPECT_TRUE(check);
}

TEST(LaneArithmetic, JoinsKeepEqualStrides) {
  EXPECT_EQ(join(linear(4, 2), linear(4, 7), 32).base_zeros, 2);
  EXPECT_EQ(join(linear(4, 2), linear(8, 2), 32).kind, LaneValue::Kind::varying);
  EXPECT_TRUE(join(LaneValue::constant(3, 32), LaneValue::constant(9, 32), 32).uniform());
}

TEST(LaneArithmetic, ColumnsAndRowsMakeTheLaneNumber) {
  const LaneModel model = LaneModel::for_block({16, 16, 1}, 32);
  const LaneArithmetic arithmetic(model);
  LaneValue x = LaneValue::make_uniform(false), y = x;
  x.steps = model.steps_of(model.tid[0]);
  y.steps = model.steps_of(model.tid[1]);
  const LaneValue sum = arithmetic.add(arithmetic.multiply(y, LaneValue::constant(16, 32), 32), x, 32);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(arithmetic.offset(sum, lane), lane);
}

// What a butterfly of pairs that are four lanes apart computes: 2 * t - (t & 3), and its partner's number.
TEST(LaneArithmetic, PartsOfTheLaneNumberKeepTheirSteps) {
  const LaneModel model = LaneModel::rows(32);
  const LaneArithmetic arithmetic(model);
  const LaneValue tid = linear(1, 5);
  const LaneValue inner = arithmetic.bit_and(tid, LaneValue::constant(3, 32), 32);
  const LaneValue place = arithmetic.subtract(arithmetic.multiply(tid, LaneValue::constant(2, 32), 32), inner, 32);
  const LaneValue partner = arithmetic.bit_or(tid, LaneValue::constant(4, 32), 32, true);
  ASSERT_TRUE(place.strided());
  ASSERT_TRUE(partner.strided());
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(arithmetic.offset(place, static_cast<unsigned>(lane)), 2 * lane - (lane & 3));
    EXPECT_EQ(arithmetic.offset(partner, static_cast<unsigned>(lane)), (lane ^ 4) - 4);  // lane 0 has 4
  }
  // A base that may carry into the bits that are taken.
  EXPECT_FALSE(arithmetic.bit_and(linear(1, 1), LaneValue::constant(3, 32), 32).strided());
}

}  // namespace
}  // namespace heddle::ptx::analysis
