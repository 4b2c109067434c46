// The piece of memory that lanes access together.
#include "device/cpu/codegen/lane_window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace heddle::device::cpu {
namespace {

using testing::ElementsAre;

TEST(LaneWindow, BeginsWithTheLeastAddress) {
  const std::vector<std::int64_t> offsets{0, -8, 16, 8};
  const auto window = lane_window(offsets, 1, 8, 16);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->first, -8);
  EXPECT_EQ(window->elements, 4u);
  EXPECT_THAT(window->place, ElementsAre(1, 0, 3, 2));
  EXPECT_TRUE(window->distinct);
  EXPECT_THAT(lanes_of_window(*window, 1, 4), ElementsAre(1, 0, 3, 2));
}

TEST(LaneWindow, HasGapsBetweenRecords) {
  const std::vector<std::int64_t> offsets{0, 16, 32};
  const auto window = lane_window(offsets, 2, 4, 16);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->elements, 10u);
  EXPECT_THAT(window->place, ElementsAre(0, 4, 8));
  EXPECT_THAT(lanes_of_window(*window, 2, 12), ElementsAre(0, 0, -1, -1, 1, 1, -1, -1, 2, 2, -1, -1));
}

TEST(LaneWindow, LanesMayShareElements) {
  const std::vector<std::int64_t> same{0, 0, 4, 4}, overlapping{0, 4};
  EXPECT_FALSE(lane_window(same, 1, 4, 16)->distinct);
  EXPECT_FALSE(lane_window(overlapping, 2, 4, 16)->distinct);
}

TEST(LaneWindow, HasALimit) {
  const std::vector<std::int64_t> offsets{0, 60};
  EXPECT_TRUE(lane_window(offsets, 1, 4, 16));
  EXPECT_FALSE(lane_window(offsets, 1, 4, 15));
  EXPECT_FALSE(lane_window(offsets, 2, 4, 16));
}

TEST(LaneWindow, DistancesAreWholeElements) {
  const std::vector<std::int64_t> offsets{0, 6};
  EXPECT_FALSE(lane_window(offsets, 1, 4, 16));
}

// They are sums modulo 2^64.
TEST(LaneWindow, DistancesMayBeAnyNumbers) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> apart{least, most}, lows{least, least + 4};
  EXPECT_FALSE(lane_window(apart, 1, 1, 1U << 31));
  EXPECT_TRUE(lane_window(lows, 1, 4, 16));
}

}  // namespace
}  // namespace heddle::device::cpu
