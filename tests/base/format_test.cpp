#include "base/format.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(Format, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(1536 * 1024), "1.50 MiB");
  EXPECT_EQ(format_bytes(24ull << 30), "24.0 GiB");
  EXPECT_EQ(format_bytes(1048575), "1.00 MiB");
  EXPECT_EQ(format_bytes(~0ull), "16.0 EiB");
}

TEST(Format, Durations) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(850e-9), "850 ns");
  EXPECT_EQ(format_duration(1.25e-6), "1.25 us");
  EXPECT_EQ(format_duration(0.9999e-3), "1.00 ms");
  EXPECT_EQ(format_duration(12.34e-3), "12.3 ms");
  EXPECT_EQ(format_duration(3.4), "3.40 s");
  EXPECT_EQ(format_duration(125), "2 min 5 s");
  EXPECT_EQ(format_duration(-1e-3), "-1.00 ms");
  EXPECT_EQ(format_duration(1.0 / 0.0), "unknown");
}

TEST(Format, Bandwidth) {
  EXPECT_EQ(format_bandwidth(12.3e9), "12.3 GB/s");
  EXPECT_EQ(format_bandwidth(999.9e6), "1.00 GB/s");
  EXPECT_EQ(format_bandwidth(4.8e12), "4.80 TB/s");
}

TEST(Format, Counts) {
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1048576), "1 048 576");
}

TEST(Format, CountedThings) {
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(2, "byte"), "2 bytes");
}

TEST(Format, Triples) { EXPECT_EQ(format_triple(3, 0, 4294967296), "(3, 0, 4294967296)"); }

}  // namespace
}  // namespace heddle::base
