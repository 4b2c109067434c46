// Contention-free bounds of made-up timelines, and timelines of real executions.
#include "timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr auto kernel = base::Interval::Kind::kernel, transfer = base::Interval::Kind::transfer;

TEST(ContentionFree, IsTheLongestPathOfKernelsAndTheirCopies) {
  const Plan vec = make_vec(place, tiny)->plan();
  // Copies of 100 and 40 ns, squares of 10 and 90, a reduction of 5, and the result back in 3.
  Timeline serial;
  serial.intervals = {{transfer, 0, 100}, {kernel, 110, 120}, {transfer, 130, 170},
                      {kernel, 180, 270}, {kernel, 300, 305}, {transfer, 310, 313}};
  EXPECT_DOUBLE_EQ(contention_free(vec, serial, false), 95e-9);
  EXPECT_DOUBLE_EQ(contention_free(vec, serial, true), 138e-9);
  // The other branch, when x takes longer.
  serial.intervals[0].begin_ns = 0, serial.intervals[0].end_ns = 109;
  serial.intervals[2].end_ns = 131;
  serial.intervals[3] = {kernel, 180, 200};
  EXPECT_DOUBLE_EQ(contention_free(vec, serial, true), (109 + 10 + 5 + 3) * 1e-9);
}

TEST(ContentionFree, CountsCopiesAtTheSameTimeOnce) {
  const Plan plan{{{}}, {}};
  Timeline serial;
  serial.intervals = {{transfer, 0, 50}, {transfer, 10, 60}, {transfer, 80, 90}, {kernel, 100, 200}};
  EXPECT_DOUBLE_EQ(contention_free(plan, serial, true), 170e-9);
}

// Both branches read what the first one has had copied.
TEST(ContentionFree, HasSharedInputsInBothBranches) {
  const Plan plan{{{}, {{}, {0}}}, {}};
  Timeline serial;
  serial.intervals = {{transfer, 0, 70}, {kernel, 100, 110}, {kernel, 200, 230}};
  EXPECT_DOUBLE_EQ(contention_free(plan, serial, true), 100e-9);
}

TEST(ContentionFree, RefusesATimelineOfSomethingElse) {
  Timeline serial;
  serial.intervals = {{kernel, 0, 10}};
  EXPECT_THROW(contention_free(Plan{{{}, {}}, {}}, serial, true), std::runtime_error);
  EXPECT_THROW(contention_free(Plan{{}, {}}, serial, true), std::runtime_error);
}

// Ten copies that begin at once, in ten streams, take turns; those to the host take turns with each other.
TEST(Copies, TakeTurnsInEachDirection) {
  std::vector<base::Interval> timeline = {{transfer, 0, 30}, {transfer, 1, 20},  {transfer, 2, 10},
                                          {kernel, 10, 15},  {transfer, 16, 40}, {transfer, 17, 60}};
  let_copies_take_turns(timeline, 2);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {{2, 10},  {10, 20}, {10, 15},
                                                                         {16, 40}, {20, 30}, {40, 60}};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
  for (const base::Interval& interval : timeline) got.emplace_back(interval.begin_ns, interval.end_ns);
  EXPECT_THAT(got, testing::UnorderedElementsAreArray(expected));
  EXPECT_TRUE(std::is_sorted(timeline.begin(), timeline.end(),
                             [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; }));
}

class Timelines : public testing::TestWithParam<Named> {};

// What is serial overlaps nowhere, and what is parallel cannot be shorter than nothing.
TEST_P(Timelines, OfSerialExecutionsHaveNoOverlap) {
  const auto benchmark = GetParam().make(place, tiny);
  const Timeline serial = trace(*benchmark, "cpu", sync(), small_shape);
  const base::Overlap overlap = base::overlap(serial.intervals);
  EXPECT_EQ(overlap.ct, 0);
  EXPECT_EQ(overlap.tc, 0);
  EXPECT_EQ(overlap.cc, 0);
  EXPECT_EQ(overlap.tot, 0);
  EXPECT_GT(overlap.kernel_seconds, 0);
  const double bound = contention_free(benchmark->plan(), serial, true);
  EXPECT_GT(bound, 0);
  EXPECT_LE(bound, overlap.kernel_seconds + overlap.transfer_seconds);
  EXPECT_NO_THROW(trace(*benchmark, "cpu", {}, small_shape));
}

INSTANTIATE_TEST_SUITE_P(All, Timelines, testing::ValuesIn(all_benchmarks),
                         [](const auto& info) { return plain(info.param.name); });

}  // namespace
}  // namespace heddle::bench::grcuda
