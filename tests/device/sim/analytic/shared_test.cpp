// Bank conflicts (tesla.md, row TE8): an access whose lanes want n words of one bank takes n times as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"

namespace heddle::device::sim {
namespace {

constexpr unsigned shared_bytes = 32 * 32 * 8;  // a word of 8 bytes in every row that 32 lanes can want
constexpr const char* load = "ld.shared.f32 %f#, [%i];";

// %i: the address of this thread. Of the lanes that are served together the first n are in bank 0, each in a row of its
// own; the others have banks of their own.
std::string conflict(const MachineDescription& m, unsigned n) {
  const std::string row = std::to_string(m.shared.banks * m.shared.bank_bytes);
  return "and.b32 %j, %t, " + std::to_string(m.shared.lanes - 1) + ";\nsetp.lt.u32 %c, %j, " + std::to_string(n) +
         ";\nmul.lo.u32 %i, %j, " + std::to_string(m.shared.bank_bytes) + ";\n@%c mul.lo.u32 %i, %j, " + row +
         ";\nmov.u32 %j, s;\nadd.u32 %i, %i, %j;\nst.shared.u32 [%i], 0;\nbar.sync 0;\n";
}
std::string stride(unsigned words) {
  return "mov.u32 %j, s;\nand.b32 %i, %t, 31;\nmad.lo.u32 %i, %i, " + std::to_string(words * 4) +
         ", %j;\nst.shared.u32 [%i], 0;\nbar.sync 0;\n";
}
std::uint64_t passes(Bench& bench, const std::string& address) {
  const auto of = [&](unsigned loads) {
    return bench.run({.body = address + repeated(loads, load, 8), .shared = shared_bytes}).memory.sm.shared_passes;
  };
  return of(9) - of(8);
}

class Banks : public testing::TestWithParam<std::string> {};

TEST_P(Banks, AConflictOfNWaysTakesNTimesAsLong) {
  const MachineDescription m = one_sm(preset(GetParam()));
  Bench bench(m);
  const unsigned groups = 32 / m.shared.lanes;  // passes without conflicts
  for (const unsigned n : {1u, 2u, 3u, 5u, 8u, 16u, 32u}) {
    if (n > m.shared.lanes) continue;
    EXPECT_EQ(passes(bench, conflict(m, n)), n * groups) << n;
    const Launch launch{.body = conflict(m, n), .threads = 256, .shared = shared_bytes};
    const double cycles = step(bench, launch, load, 64, 192, 8) / (256 / 32);
    const double wanted =
        std::max<double>(n * groups * m.shared.interval, static_cast<double>(m.pipes.lsu.interval) / m.pipes.lsu.count);
    EXPECT_NEAR(cycles, wanted, 0.01 * wanted) << n;
  }
}

// One load after the other: each conflict adds the time of a pass.
TEST_P(Banks, EachConflictAddsAPassToTheLatency) {
  const MachineDescription m = one_sm(preset(GetParam()));
  Bench bench(m);
  const auto latency = [&](unsigned n) {
    const Launch launch{.body = conflict(m, n), .shared = shared_bytes};
    return step(bench, launch, "ld.shared.u32 %j, [%i];\nadd.u32 %i, %i, %j;", 10, 30);
  };
  const double least = latency(1);
  // The latency is that of all passes that there are without conflicts.
  EXPECT_EQ(least, m.pipes.lsu.latency + m.shared.latency + m.pipes.alu.latency + m.front.delivery_latency +
                       2 * m.front.scheduler_latency);
  for (const unsigned n : {2u, 7u, 16u})
    EXPECT_EQ(latency(n), least + (n - 1) * (32 / m.shared.lanes) * m.shared.interval) << n;
}

INSTANTIATE_TEST_SUITE_P(Presets, Banks, testing::ValuesIn(preset_names()),
                         [](const auto& info) { return test_name(info.param); });

// By hand: a stride of s words meets gcd(s, banks) lanes in a bank, of a half-warp in 16 banks, or a warp in 32.
TEST(Banks, StridesAreAsTheProgrammingGuidesHaveThem) {
  Bench tesla(one_sm(preset("tesla-g80"))), fermi(one_sm(preset("fermi-c2050")));
  const std::vector<std::pair<unsigned, unsigned>> half_warps = {{0, 2},  {1, 2},   {2, 4},  {3, 2},  {4, 8},
                                                                 {8, 16}, {16, 32}, {17, 2}, {32, 32}};
  for (const auto& [words, wanted] : half_warps) EXPECT_EQ(passes(tesla, stride(words)), wanted) << words;
  const std::vector<std::pair<unsigned, unsigned>> warps = {{0, 1}, {1, 1},   {2, 2},  {3, 1},   {4, 4},
                                                            {8, 8}, {16, 16}, {17, 1}, {32, 32}, {33, 1}};
  for (const auto& [words, wanted] : warps) EXPECT_EQ(passes(fermi, stride(words)), wanted) << words;
}

}  // namespace
}  // namespace heddle::device::sim
