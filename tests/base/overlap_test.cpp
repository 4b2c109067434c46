#include "base/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "heddle/error.hpp"

namespace heddle::base {
namespace {

using Kind = Interval::Kind;

Interval kernel(std::uint64_t begin, std::uint64_t end) { return {Kind::kernel, begin, end}; }
Interval transfer(std::uint64_t begin, std::uint64_t end) { return {Kind::transfer, begin, end}; }

void expect(const std::vector<Interval>& timeline, double ct, double tc, double cc, double tot) {
  const Overlap found = overlap(timeline);
  EXPECT_DOUBLE_EQ(found.ct, ct);
  EXPECT_DOUBLE_EQ(found.tc, tc);
  EXPECT_DOUBLE_EQ(found.cc, cc);
  EXPECT_DOUBLE_EQ(found.tot, tot);
}

TEST(Overlap, IsNothingOfNothing) { expect({}, 0, 0, 0, 0); }

TEST(Overlap, IsNothingWhereOneComesBehindTheOther) {
  expect({transfer(0, 100), kernel(100, 150), transfer(150, 300), kernel(300, 301)}, 0, 0, 0, 0);
}

TEST(Overlap, OfAKernelWithATransfer) {
  // 60 of the kernel's 80 during the transfer, 60 of the transfer's 120 during the kernel, and 60 of 200.
  expect({transfer(0, 120), kernel(60, 140)}, 0.75, 0.5, 0, 0.3);
}

TEST(Overlap, OfKernelsCountsForEach) {
  // Each for 50 of 100 beside the other.
  expect({kernel(0, 100), kernel(50, 150)}, 0, 0, 0.5, 0.5);
  // Three at once count as two do: it is a part of each kernel's time.
  expect({kernel(0, 100), kernel(0, 100), kernel(0, 100)}, 0, 0, 1, 1);
}

TEST(Overlap, OfAKernelWithBothCountsOnceInTheTotal) {
  // The first kernel: 40 beside the transfer, 40 beside the second kernel, of which 20 beside both.
  expect({kernel(0, 100), transfer(40, 80), kernel(60, 100)}, (40.0 + 20) / 140, 1, 80.0 / 140, (60.0 + 40) / 180);
}

TEST(Overlap, OfTransfersAloneIsNone) { expect({transfer(0, 100), transfer(20, 80), kernel(100, 110)}, 0, 0, 0, 0); }

TEST(Overlap, CountsATransferDuringSeveralKernelsOnce) {
  expect({transfer(0, 100), kernel(0, 50), kernel(0, 50)}, 1, 0.5, 1, 0.5);
}

TEST(Overlap, LeavesOutWhatHasNoLength) {
  expect({kernel(10, 10), kernel(30, 20), kernel(0, 100), transfer(50, 50)}, 0, 0, 0, 0);
  EXPECT_DOUBLE_EQ(overlap(std::vector{kernel(30, 20), kernel(0, 100)}).kernel_seconds, 100e-9);
}

// Nanosecond by nanosecond gives the same.
TEST(Overlap, AgreesWithCountingEachNanosecond) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> all;
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t begin = random() % 40;
      all.push_back({random() % 2 == 0 ? Kind::kernel : Kind::transfer, begin, begin + random() % 20});
    }
    double k = 0, t = 0, ct = 0, tc = 0, cc = 0, tot = 0;
    for (std::uint64_t now = 0; now < 60; ++now) {
      const auto at_work = [&](Kind kind) {
        return static_cast<double>(std::count_if(all.begin(), all.end(), [&](const Interval& interval) {
          return interval.kind == kind && interval.begin_ns <= now && now < interval.end_ns;
        }));
      };
      const double kernels = at_work(Kind::kernel), transfers = at_work(Kind::transfer);
      k += kernels;
      t += transfers;
      ct += transfers > 0 ? kernels : 0;
      tc += kernels > 0 ? transfers : 0;
      cc += kernels > 1 ? kernels : 0;
      tot += transfers > 0 || kernels > 1 ? kernels : 0;
    }
    const Overlap found = overlap(all);
    EXPECT_NEAR(found.ct, k > 0 ? ct / k : 0, 1e-12);
    EXPECT_NEAR(found.tc, t > 0 ? tc / t : 0, 1e-12);
    EXPECT_NEAR(found.cc, k > 0 ? cc / k : 0, 1e-12);
    EXPECT_NEAR(found.tot, k + t > 0 ? tot / (k + t) : 0, 1e-12);
  }
}

TEST(LongestPath, IsTheLongerBranch) {
  EXPECT_DOUBLE_EQ(longest_path({}), 0);
  EXPECT_DOUBLE_EQ(longest_path(std::vector<Step>{{3}, {5}, {1, {0, 1}}, {4}}), 6);
  // Two chains that meet: 2 + 7 + 1 against 4 + 3 + 1.
  EXPECT_DOUBLE_EQ(longest_path(std::vector<Step>{{2}, {4}, {7, {0}}, {3, {1}}, {1, {2, 3}}}), 10);
}

TEST(LongestPath, RefusesWhatStandsInNoOrder) {
  EXPECT_THROW(longest_path(std::vector<Step>{{1, {1}}, {1}}), Error);
  EXPECT_THROW(longest_path(std::vector<Step>{{1, {0}}}), Error);
}

}  // namespace
}  // namespace heddle::base
