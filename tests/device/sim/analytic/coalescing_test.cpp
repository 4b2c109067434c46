// What accesses of a warp become in each generation (tesla.md, row TE7): transactions and bytes, worked out by hand
// from the programming guides, of loads that a kernel executes.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bench.hpp"

namespace heddle::device::sim {
namespace {

// The address of thread t from %p on, which is a multiple of 2 MiB; and the load.
struct Pattern {
  std::string name, address, load;
};
const std::vector<Pattern>& patterns() {
  const auto scaled = [](unsigned bytes) {
    return "mul.wide.u32 %q, %t, " + std::to_string(bytes) + ";\nadd.u64 %p, %p, %q;\n";
  };
  static const std::vector<Pattern> all = {
      {"words in order", scaled(4), "ld.global.f32 %f0, [%p];"},
      {"one word further", scaled(4), "ld.global.f32 %f0, [%p+4];"},
      {"backwards", "sub.u32 %t, 31, %t;\n" + scaled(4), "ld.global.f32 %f0, [%p];"},
      {"every second word", scaled(8), "ld.global.f32 %f0, [%p];"},
      {"every eighth word", scaled(32), "ld.global.f32 %f0, [%p];"},
      {"a line each", scaled(128), "ld.global.f32 %f0, [%p];"},
      {"one word for all", "", "ld.global.f32 %f0, [%p];"},
      {"8 bytes in order", scaled(8), "ld.global.f64 %d0, [%p];"},
      {"16 bytes in order", scaled(16), "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%p];"},
  };
  return all;
}

struct Moved {
  std::uint64_t transactions = 0, bytes = 0;
  bool operator==(const Moved&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Moved& moved) {
  return out << moved.transactions << " transactions, " << moved.bytes << " bytes";
}

void expect_table(MachineDescription machine, const std::vector<Moved>& table) {
  ASSERT_EQ(table.size(), patterns().size());
  Bench bench(one_sm(std::move(machine)));
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Pattern& pattern = patterns()[i];
    const SmMemoryCounters figures = bench.run({.body = pattern.address + pattern.load + "\n"}).memory.sm;
    EXPECT_EQ((Moved{figures.transactions, figures.transaction_bytes}), table[i]) << pattern.name;
    EXPECT_EQ(figures.global_accesses, 1u);
  }
}

// Thread k of a half-warp at word k of an aligned segment, or a transaction of 32 bytes for each thread.
TEST(Coalescing, OfComputeCapability10) {
  expect_table(preset("tesla-g80"),
               {{2, 128}, {32, 1024}, {32, 1024}, {32, 1024}, {32, 1024}, {32, 1024}, {32, 1024}, {2, 256}, {4, 512}});
}

// Segments of 128 bytes, halved while a half suffices, for each half-warp. One word further: bytes 4 to 67 need all of
// the first segment, 68 to 127 its upper half, 128 to 131 a quarter of the second.
TEST(Coalescing, OfComputeCapability12) {
  MachineDescription m = preset("tesla-g80");
  m.coalescing = CoalescingRule::half_warp_segments;
  expect_table(m,
               {{2, 128}, {3, 128 + 64 + 32}, {2, 128}, {2, 256}, {8, 1024}, {32, 1024}, {2, 64}, {2, 256}, {4, 512}});
}

// Whole lines of 128 bytes through the L1; 8 bytes by half-warps, 16 bytes by quarters.
TEST(Coalescing, OfFermi) {
  for (const char* name : {"fermi-c2050", "fermi-gtx480"})
    expect_table(preset(name),
                 {{1, 128}, {2, 256}, {1, 128}, {2, 256}, {8, 1024}, {32, 4096}, {1, 128}, {2, 256}, {4, 512}});
}

// The sectors of 32 bytes that are touched, in each line.
TEST(Coalescing, OfKeplerAndLater) {
  for (const char* name : {"kepler-gtx680", "hopper-h100", "hopper-h200"})
    expect_table(preset(name),
                 {{1, 128}, {2, 160}, {1, 128}, {2, 256}, {8, 1024}, {32, 1024}, {1, 32}, {2, 256}, {4, 512}});
}

}  // namespace
}  // namespace heddle::device::sim
