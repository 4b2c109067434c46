#include "base/byte_count.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(ByteCount, TakesWhatPeopleWrite) {
  EXPECT_EQ(parse_bytes("512"), 512U);
  EXPECT_EQ(parse_bytes("512 B"), 512U);
  EXPECT_EQ(parse_bytes("64K"), 64U << 10);
  EXPECT_EQ(parse_bytes("64 KiB"), 64U << 10);
  EXPECT_EQ(parse_bytes("64kB"), 64U << 10);
  EXPECT_EQ(parse_bytes("1.5GiB"), 3ULL << 29);
  EXPECT_EQ(parse_bytes("2T"), 2ULL << 40);
  EXPECT_EQ(parse_bytes("10m"), 10U << 20);
  EXPECT_EQ(parse_bytes("2 giB"), 2ULL << 30);
  EXPECT_EQ(parse_bytes("0"), 0U);
}

TEST(ByteCount, RefusesTheRest) {
  for (const char* text : {"", "G", "-1", "1X", "1GG", "1 G i B", "nan", "inf", "1e9", "20000000T", "1G "})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

}  // namespace
}  // namespace heddle::base
