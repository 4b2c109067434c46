#include "device/cpu/stall.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::device::cpu {
namespace {

using Verdict = StallWatch::Verdict;
constexpr std::uint64_t timeout = 1000;

// Looks every 10 ns from `from` to `to`; stops at the first verdict that is not too_early.
template <class Print>
std::pair<Verdict, std::uint64_t> watch(StallWatch& stall, std::uint64_t from, std::uint64_t to, Print&& print) {
  for (std::uint64_t now = from; now < to; now += 10) {
    const Verdict verdict = stall.look(7, now, timeout, [&] { return print(now); });
    if (verdict != Verdict::too_early) return {verdict, now};
  }
  return {Verdict::too_early, to};
}

TEST(Stall, NothingChangesForTheWholeTime) {
  StallWatch stall;
  stall.restart(7, 100);
  int looks = 0;
  const auto [verdict, when] = watch(stall, 100, 5000, [&](std::uint64_t) {
    ++looks;
    return 1;
  });
  EXPECT_EQ(verdict, Verdict::stalled);
  EXPECT_EQ(when, 1100u);
  EXPECT_LE(looks, 4);  // reading all of memory is not for every turn
}

TEST(Stall, MemoryThatChangesIsProgress) {
  StallWatch stall;
  stall.restart(7, 0);
  auto [verdict, when] = watch(stall, 0, 5000, [](std::uint64_t now) { return now < 600 ? 1 : 2; });
  EXPECT_EQ(verdict, Verdict::memory_changed);
  std::tie(verdict, when) = watch(stall, when + 10, 5000, [](std::uint64_t) { return 2; });
  EXPECT_EQ(verdict, Verdict::stalled);
  EXPECT_GE(when, 600 + timeout);
}

TEST(Stall, ProgressStartsAnew) {
  StallWatch stall;
  stall.restart(7, 0);
  EXPECT_EQ(watch(stall, 0, 900, [](std::uint64_t) { return 1; }).first, Verdict::too_early);
  EXPECT_EQ(stall.look(8, 900, timeout, [] { return 1; }), Verdict::too_early);
  EXPECT_EQ(stall.look(8, 1800, timeout, [] { return 1; }), Verdict::too_early);
  EXPECT_EQ(stall.look(8, 2200, timeout, [] { return 1; }), Verdict::stalled);
}

TEST(Stall, EveryByteCounts) {
  for (const std::size_t bytes : {1u, 7u, 8u, 31u, 32u, 33u, 100u}) {
    std::vector<std::uint8_t> data(bytes, 3);
    const std::uint64_t print = fold_memory(0, data.data(), bytes);
    EXPECT_EQ(fold_memory(0, data.data(), bytes), print);
    for (std::uint8_t& byte : data) {
      byte ^= 0x40;
      EXPECT_NE(fold_memory(0, data.data(), bytes), print);
      byte ^= 0x40;
    }
  }
}

}  // namespace
}  // namespace heddle::device::cpu
