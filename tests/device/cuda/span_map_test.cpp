#include "device/cuda/span_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::device::cuda {
namespace {

using testing::HasSubstr;

TEST(SpanMap, TellsWhatLiesWithin) {
  SpanMap map;
  map.add(0x1000, 256);
  map.add(0x1100, 16);
  EXPECT_TRUE(map.contains(0x1000, 256));
  EXPECT_TRUE(map.contains(0x10ff, 1));
  EXPECT_TRUE(map.contains(0x1100, 0));
  EXPECT_FALSE(map.contains(0x1000, 257));  // reaches into the next allocation
  EXPECT_FALSE(map.contains(0xfff, 2));
  EXPECT_FALSE(map.contains(0x1110, 1));
  EXPECT_FALSE(map.contains(0x1001, ~std::uint64_t{0}));
  map.remove(0x1000);
  EXPECT_FALSE(map.contains(0x1000, 1));
}

TEST(SpanMap, NamesTheNearest) {
  SpanMap map;
  EXPECT_EQ(map.whereabouts(5), "there is no allocation");
  map.add(0x1000, 256);
  EXPECT_THAT(map.whereabouts(0xff0), HasSubstr("16 bytes before"));
  EXPECT_THAT(map.whereabouts(0x1010), HasSubstr("16 bytes behind the begin"));
  EXPECT_THAT(map.whereabouts(0x1108), HasSubstr("8 bytes behind the end"));
}

}  // namespace
}  // namespace heddle::device::cuda
