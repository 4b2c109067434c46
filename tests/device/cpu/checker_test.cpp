// What the checks of races and of uninitialised memory know of bytes and of the threads of a block.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "device/cpu/checker/block_clock.hpp"
#include "device/cpu/checker/finding.hpp"
#include "device/cpu/checker/launch_checker.hpp"
#include "device/cpu/checker/shadow.hpp"
#include "ptx/instruction.hpp"

namespace heddle::device::cpu {
namespace {

TEST(WrittenBytes, KnowEachByte) {
  WrittenBytes bytes(1000);
  EXPECT_EQ(bytes.first_missing(0, 4), 0u);
  bytes.set(60, 100);
  EXPECT_EQ(bytes.first_missing(60, 64), 64u);
  EXPECT_EQ(bytes.first_missing(130, 64), 30u);
  EXPECT_EQ(bytes.first_missing(59, 4), 0u);
  bytes.set(990, 100);  // what is beyond the end is not there
  EXPECT_EQ(bytes.first_missing(990, 10), 10u);
  bytes.clear();
  EXPECT_EQ(bytes.first_missing(60, 1), 0u);
}

TEST(WrittenBytes, KnowHowFarTheyReachWithoutAGap) {
  WrittenBytes bytes(300), none(300);
  EXPECT_EQ(bytes.prefix(), 0u);
  bytes.set(0, 70);
  bytes.set(71, 229);
  EXPECT_EQ(bytes.prefix(), 70u);
  bytes.set(70, 1);
  EXPECT_EQ(bytes.prefix(), 300u);
  bytes.copy(128, none, 0, 4);  // of what nobody has written
  EXPECT_EQ(bytes.prefix(), 128u);
  bytes.clear();
  EXPECT_EQ(bytes.prefix(), 0u);
}

TEST(WrittenBytes, AreCopiedWithWhatIsMissing) {
  WrittenBytes from(300), to(300);
  from.set(3, 200);
  to.set(0, 300);
  to.copy(10, from, 0, 300 - 10);
  EXPECT_EQ(to.first_missing(0, 10), 10u);
  EXPECT_EQ(to.first_missing(10, 1), 0u);
  EXPECT_EQ(to.first_missing(13, 64), 64u);
  EXPECT_EQ(to.first_missing(212, 2), 1u);
  from.copy(1, from, 0, 210);  // over itself
  EXPECT_EQ(from.first_missing(3, 2), 0u);
  EXPECT_EQ(from.first_missing(4, 64), 64u);
  EXPECT_EQ(from.first_missing(203, 2), 1u);
}

class BlockClockTest : public testing::Test {
 protected:
  BlockClockTest() { clock.start(1, 0, 128, 0, 1, true); }
  BlockClock clock;
};

TEST_F(BlockClockTest, BarriersOrderTheBlock) {
  EXPECT_FALSE(clock.is_before(0, 1, 100));
  clock.all_met(2);
  EXPECT_TRUE(clock.is_before(0, 1, 100));
  EXPECT_FALSE(clock.is_before(0, 2, 100));
}

TEST_F(BlockClockTest, WarpBarriersOrderTheirLanes) {
  clock.lanes_met(0, 0xff, 2);
  EXPECT_TRUE(clock.is_before(0, 1, 7));
  EXPECT_FALSE(clock.is_before(0, 1, 8));
  clock.lanes_met(0, 0xff80, 3);  // lane 7 passes on what it knows
  EXPECT_TRUE(clock.is_before(0, 1, 8));
  EXPECT_FALSE(clock.is_before(8, 2, 0));
  clock.lanes_met(1, 0xffffffff, 4);
  EXPECT_TRUE(clock.is_before(40, 3, 50));
  EXPECT_FALSE(clock.is_before(40, 3, 70));
}

TEST_F(BlockClockTest, CountedBarriersOrderThoseThatWait) {
  clock.arrive(1, 0, false, 2);  // bar.arrive
  clock.arrive(1, 1, true, 3);
  clock.complete(1, 4);
  EXPECT_TRUE(clock.is_before(0, 1, 32));
  EXPECT_FALSE(clock.is_before(0, 2, 32));  // after its arrival
  EXPECT_FALSE(clock.is_before(32, 1, 0));  // it did not wait
  EXPECT_FALSE(clock.is_before(0, 1, 64));
}

TEST_F(BlockClockTest, FencesAndFlagsOrderWarps) {
  clock.release(0, 2);
  EXPECT_FALSE(clock.is_before(0, 1, 32));
  clock.acquire(1, 2);
  EXPECT_TRUE(clock.is_before(0, 1, 32));
  EXPECT_FALSE(clock.is_before(0, 2, 32));
}

// An allocation whose records do not fit into the address space.
class WithoutMemory : public testing::Test {
 protected:
  WithoutMemory() {
    clock.start(1, 0, 32, 0, 1, true);
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = begin + std::uint64_t{4} * lane;
  }
  void expect_a_lock() {
    EXPECT_TRUE(shadow->lock_of(begin).try_lock()) << "others wait for it for ever";
    shadow->lock_of(begin).unlock();
  }
  static constexpr std::uint64_t begin = 1 << 20, bytes = std::uint64_t{1} << 46;
  const std::shared_ptr<Shadow> shadow = std::make_shared<Shadow>(begin, bytes, false);
  const AllocationMap allocations{{{begin, begin + bytes, false, false, shadow}}};
  LaunchChecker checker{Checks::parse("race"), 1, 0, 1, {}};
  BlockClock clock;
  const CheckedWarp warp = {clock, 0, 1, 32, nullptr, 0};
  std::uint64_t addresses[32] = {};
  static constexpr auto global = static_cast<std::uint32_t>(ptx::Space::global);
};

TEST_F(WithoutMemory, AccessesReleaseTheirLock) {
  const CheckedLanes lanes{addresses, nullptr, nullptr, ~0u, 4, global, CheckedAccess::reads};
  EXPECT_THROW(checker.access(warp, lanes, allocations), std::bad_alloc);
  expect_a_lock();
}

TEST_F(WithoutMemory, RunsReleaseTheirLock) {
  for (const std::int64_t step : {4, 0}) {
    const CheckedRun run{begin, step, nullptr, ~0u, 4, global, CheckedAccess::reads};
    EXPECT_THROW(checker.access_run(warp, run, allocations), std::bad_alloc);
    expect_a_lock();
  }
}

// One warp, whose lanes run in step. The instructions 1 and 2 are one operation, 3 another.
class WarpOperations : public testing::Test {
 protected:
  WarpOperations() { checker.enter(clock, 0, 32, 0); }
  void come_to(std::uint32_t line, std::uint32_t lanes, std::uint32_t members = ~0u) {
    std::uint32_t masks[32];
    std::fill(std::begin(masks), std::end(masks), members);
    checker.order({clock, 0, line, 32, nullptr, 0}, masks, lanes, OrderKind::exchange);
  }
  std::vector<Findings::Counted> found() {
    checker.leave(clock);
    return checker.findings().all();
  }
  static constexpr std::uint32_t low = 0xffff, high = 0xffff0000;
  LaunchChecker checker{
      Checks::parse("sync"), 1, 0, 1, {}, [](std::uint32_t a, std::uint32_t b) { return a != 3 && b != 3; }};
  BlockClock clock;
};

TEST_F(WarpOperations, HalvesMeetAtTwoPlacesOfOneOperation) {
  come_to(1, low);
  come_to(1, low);
  come_to(2, high);
  come_to(2, high);
  come_to(3, ~0u);
  EXPECT_TRUE(found().empty());
}

TEST_F(WarpOperations, HalvesAreAtDifferentOperations) {
  come_to(1, low);
  come_to(1, low);
  come_to(3, high);
  const auto all = found();
  ASSERT_EQ(all.size(), 1u) << "what follows is of no use";
  EXPECT_EQ(all[0].finding.kind, Finding::Kind::divergent_lanes);
  EXPECT_EQ(all[0].finding.place.line, 3u);
  EXPECT_EQ(all[0].finding.place.thread, 16u);
  EXPECT_EQ(all[0].finding.before.line, 1u);
  EXPECT_EQ(all[0].finding.before.thread, 0u);
}

TEST_F(WarpOperations, HalvesComeInTheSameOrder) {
  come_to(1, low);
  come_to(3, low);
  come_to(3, high);
  come_to(1, high);
  EXPECT_EQ(found().size(), 1u);
}

TEST_F(WarpOperations, OthersWithMasksOfTheirOwnMayComeBetween) {
  come_to(1, low);
  come_to(3, low, low);
  come_to(3, high, high);
  come_to(2, high);
  EXPECT_TRUE(found().empty());
}

TEST_F(WarpOperations, AreLookedAtAgainOnceAllLanesMeet) {
  come_to(1, low);
  come_to(3, high);
  come_to(1, ~0u);
  come_to(2, low);
  come_to(3, high);
  EXPECT_EQ(found().size(), 2u);
}

TEST_F(WarpOperations, ThreadsComeToOneBarrierOfTheBlockAtDifferentInstructions) {
  const auto arrive = [&](std::uint32_t thread, std::uint32_t line) {
    checker.arrive({clock, thread, line, 1, nullptr, 0}, 0, false, true);
  };
  arrive(0, 1);
  arrive(1, 2);
  EXPECT_TRUE(checker.findings().empty());
  EXPECT_FALSE(clock.is_aligned()) << "shared memory is exempt only where all are at one";
  arrive(2, 3);
  const auto all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].finding.kind, Finding::Kind::divergent_barrier);
  EXPECT_EQ(all[0].finding.place.line, 3u);
}

TEST_F(WarpOperations, LanesComeToOneNamedBarrierAtDifferentInstructions) {
  const auto arrive = [&](std::uint32_t lane, std::uint32_t line) {
    checker.arrive({clock, lane, line, 1, nullptr, 0}, 1, true, line != 2);
  };
  for (std::uint32_t lane = 0; lane < 32; ++lane) arrive(lane, lane < 16 ? 1 : 2);
  checker.complete(clock, 1, 0);
  arrive(0, 3);  // of the next phase
  arrive(0, 1);  // a second time
  EXPECT_TRUE(checker.findings().empty());
  arrive(1, 2);
  const auto all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].finding.place.thread, 1u);
  EXPECT_EQ(all[0].finding.before.line, 3u);
}

class AlignedBarriers : public WarpOperations {
 protected:
  static constexpr std::uint32_t sixty_four = 64u << 16;
  // Each lane is a thread that waits on its own.
  void lane_comes_to(std::uint32_t line, std::uint32_t lane, std::uint32_t number, std::uint32_t threads = sixty_four) {
    const std::uint32_t named = number | threads;
    checker.order({clock, lane, line, 1, nullptr, 0}, &named, 1, OrderKind::aligned_barrier);
  }
  void warp_comes_to(std::uint32_t line, std::uint32_t low_number, std::uint32_t high_number) {
    std::uint32_t named[32];
    for (unsigned lane = 0; lane < 32; ++lane) named[lane] = (lane < 16 ? low_number : high_number) | sixty_four;
    checker.order({clock, 0, line, 32, nullptr, 0}, named, ~0u, OrderKind::aligned_barrier);
  }
};

TEST_F(AlignedBarriers, LanesGiveOneNumber) {
  warp_comes_to(1, 1, 1);
  for (std::uint32_t lane = 0; lane < 32; ++lane) lane_comes_to(1, lane, 2);
  // As bar.arrive lets them: one lane after the other comes to several.
  for (std::uint32_t lane = 32; lane-- > 0;)
    for (std::uint32_t number = 1; number < 5; ++number) lane_comes_to(number == 2 ? 2 : 1, lane, number);
  EXPECT_TRUE(found().empty());
}

TEST_F(AlignedBarriers, LanesInStepGiveDifferentNumbers) {
  warp_comes_to(1, 1, 2);
  const auto all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].finding.kind, Finding::Kind::divergent_numbers);
  EXPECT_EQ(all[0].finding.place.thread, 16u);
  EXPECT_EQ(all[0].finding.named, 2 | sixty_four);
  EXPECT_EQ(all[0].finding.before_named, 1 | sixty_four);
}

TEST_F(AlignedBarriers, LanesOneAfterTheOtherGiveDifferentNumbers) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) lane_comes_to(1, lane, 1, lane < 16 ? sixty_four : 0);
  const auto all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].count, 1u) << "what follows is of no use";
  EXPECT_EQ(all[0].finding.kind, Finding::Kind::divergent_numbers);
  EXPECT_EQ(all[0].finding.place.thread, 16u);
}

TEST_F(AlignedBarriers, APartOfAWarpIsAlone) {
  for (std::uint32_t lane = 0; lane < 16; ++lane) lane_comes_to(1, lane, 1);
  // Threads that do not come to a barrier of the whole block are known when it completes.
  for (std::uint32_t lane = 0; lane < 16; ++lane) lane_comes_to(2, lane, 2, 0);
  const auto all = found();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].finding.kind, Finding::Kind::partial_barrier);
  EXPECT_EQ(all[0].finding.absent, high);
  EXPECT_EQ(all[0].finding.place.line, 1u);
}

// Accesses of two bytes, and of several words.
class Races : public testing::Test {
 protected:
  Races() { checker.enter(clock, 0, 64, 1024); }
  void write(std::uint32_t first_thread, std::uint64_t begin, std::uint32_t bytes, std::uint64_t step) {
    std::uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = begin + lane * step;
    checker.access({clock, first_thread, 1, 32, shared, 1024},
                   {addresses, nullptr, nullptr, ~0u, bytes, static_cast<std::uint32_t>(ptx::Space::shared),
                    CheckedAccess::writes},
                   allocations);
  }
  std::uint8_t shared[1024] = {};
  AllocationMap allocations;
  LaunchChecker checker{Checks::parse("race"), 1, 0, 1, {}};
  BlockClock clock;
};

TEST_F(Races, CountEachAccessOnce) {
  std::uint64_t begin = 0, count = 0;
  for (const auto& [bytes, step] : {std::pair(1u, 1u), std::pair(2u, 2u), std::pair(2u, 6u), std::pair(16u, 16u)}) {
    write(0, begin, bytes, step);
    write(32, begin, bytes, step);
    EXPECT_EQ(checker.findings().all().at(0).count, count += 32) << bytes;
    begin += std::uint64_t{32} * step;
  }
}

TEST(Findings, CountEachPairOfPlaces) {
  Findings findings;
  EXPECT_TRUE(findings.empty());
  Finding one;
  one.place.line = 3;
  one.before.line = 4;
  findings.add(one);
  findings.add(one);
  one.hazard = Finding::Hazard::write_after_read;
  findings.add(one);
  const auto all = findings.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].count, 2u);
  EXPECT_EQ(all[1].count, 1u);
}

}  // namespace
}  // namespace heddle::device::cpu
