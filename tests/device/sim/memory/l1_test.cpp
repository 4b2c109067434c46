// MSHRs, replacement and write policies of the L1, and why accesses wait.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace heddle::device::sim {
namespace {

// Two sets of two lines.
MachineDescription small() {
  MachineDescription m = preset("fermi-c2050");
  m.sms = 1;
  m.l1.bytes = 512;
  m.l1.ways = 2;
  return m;
}
constexpr std::uint64_t line = 128, set_stride = 256;  // lines of one set

std::uint64_t hits(Driver& driver) { return driver.memory.counters().sm.l1.hits; }

TEST(L1, LruReplacesTheLineThatWasUsedLeastRecently) {
  Driver driver(small());
  driver.latency(load(0));
  driver.latency(load(set_stride));
  driver.latency(load(0));               // hit: now the newest
  driver.latency(load(2 * set_stride));  // replaces set_stride
  driver.latency(load(0));
  EXPECT_EQ(hits(driver), 2u);
  driver.latency(load(set_stride));
  EXPECT_EQ(hits(driver), 2u);
  EXPECT_EQ(driver.memory.counters().sm.l1.evictions, 2u);
}

TEST(L1, FifoReplacesTheOldestLineHoweverOftenItIsUsed) {
  MachineDescription m = small();
  m.l1.replacement = Replacement::fifo;
  Driver driver(m);
  driver.latency(load(0));
  driver.latency(load(set_stride));
  driver.latency(load(0));
  driver.latency(load(2 * set_stride));  // replaces 0
  driver.latency(load(set_stride));
  EXPECT_EQ(hits(driver), 2u);
  driver.latency(load(0));
  EXPECT_EQ(hits(driver), 2u);
}

// Where the machine issues instructions again, each pass beyond an access's first is its scheduler's.
TEST(L1, PassesBeyondTheFirstAreReplays) {
  const WarpAccess four_lines = strided(MemoryOperation::load, 0, 16);
  for (const bool replays : {false, true}) {
    MachineDescription m = small();
    m.lsu.replays = replays;
    Driver driver(m);
    WarpAccess access = four_lines;
    access.scheduler = 1;
    driver.latency(access);
    const auto counted = driver.memory.sm(0).replays();
    ASSERT_EQ(counted.empty(), !replays);
    if (!replays) continue;
    EXPECT_EQ(counted[0], 0u);
    EXPECT_EQ(counted[1], 3u);
    driver.memory.sm(0).clear_replays();
    driver.latency(load(0));  // one pass
    EXPECT_TRUE(driver.memory.sm(0).replays().empty());
    driver.latency(strided(MemoryOperation::load, 0, 16, 4, MemorySpace::shared));
    EXPECT_EQ(driver.memory.sm(0).replays()[0], 3u);  // four words of each bank
  }
}

TEST(L1, RandomReplacementIsTheSameInEveryRun) {
  MachineDescription m = small();
  m.l1.replacement = Replacement::random;
  std::uint64_t first = 0;
  for (unsigned run = 0; run < 2; ++run) {
    Driver driver(m);
    for (unsigned i = 0; i < 60; ++i) driver.latency(load(i * 7 % 5 * set_stride));
    if (run == 0) first = hits(driver);
    EXPECT_EQ(hits(driver), first);
  }
  EXPECT_GT(first, 0u);
}

TEST(L1, SectorsAreFetchedApart) {
  MachineDescription m = small();
  m.coalescing = CoalescingRule::sectors;
  m.l1.sector = 32;
  Driver driver(m);
  const auto one = [](std::uint64_t address) {
    return warp_access(MemorySpace::global, MemoryOperation::load, 4, 1, [=](unsigned) { return address; });
  };
  driver.latency(one(0));
  driver.latency(one(32));
  EXPECT_EQ(hits(driver), 0u);
  driver.latency(one(4));
  EXPECT_EQ(hits(driver), 1u);
  EXPECT_EQ(driver.memory.counters().sm.received_bytes, 2u * (32 + m.crossbar.header_bytes));
}

// Issues loads of these addresses as early as they are taken; gives the cycles of their completions.
std::vector<Cycle> completions(Driver& driver, const std::vector<WarpAccess>& accesses) {
  std::size_t issued = 0;
  driver.run(
      [&](unsigned, Cycle now) {
        if (issued == accesses.size()) return;
        const auto tag = static_cast<AccessTag>(issued);
        const Admission answer = driver.memory.sm(0).access(now, accesses[issued], tag);
        driver.note(0, tag, answer);
        if (answer.accepted()) ++issued;
      },
      [&] { return issued == accesses.size() && driver.memory.idle(); });
  std::vector<Cycle> cycles;
  for (AccessTag tag = 0; tag < accesses.size(); ++tag) cycles.push_back(driver.done.at({0, tag}));
  return cycles;
}

TEST(Mshr, AccessesOfALineThatIsBeingFetchedMerge) {
  Driver driver(small());
  const auto done = completions(driver, {load(0), load(0), load(0)});
  EXPECT_EQ(done[0], done[1]);
  EXPECT_EQ(done[0], done[2]);
  const SmMemoryCounters counted = driver.memory.counters().sm;
  EXPECT_EQ(counted.l1.misses, 1u);
  EXPECT_EQ(counted.l1.pending_hits, 2u);
  EXPECT_EQ(counted.mshr_most, 1u);
  EXPECT_EQ(driver.memory.counters().l2.reads, 1u);
  EXPECT_NEAR(counted.l1.miss_rate(true), 1, 1e-9);
  EXPECT_NEAR(counted.l1.miss_rate(false), 1.0 / 3, 1e-9);
}

TEST(Mshr, WhenAllAreInUseTheNextMissWaitsForTheFirstData) {
  MachineDescription m = preset("fermi-c2050");
  m.sms = 1;
  m.l1.mshrs = 2;
  Driver driver(m);
  const auto done = completions(driver, {load(0), load(4096), load(8192)});
  EXPECT_GT(done[2], done[0] + 300);
  const SmMemoryCounters counted = driver.memory.counters().sm;
  EXPECT_EQ(counted.mshr_most, 2u);
  EXPECT_GT(counted.stall_cycles[static_cast<unsigned>(MemoryStall::mshrs_full)], 300u);
}

TEST(Mshr, HoldsAsManyMergesAsItMay) {
  MachineDescription m = preset("fermi-c2050");
  m.sms = 1;
  m.l1.merges = 2;
  Driver driver(m);
  const auto done = completions(driver, {load(0), load(0), load(0)});
  EXPECT_EQ(done[0], done[1]);
  EXPECT_EQ(done[2], done[0] - m.l1.fill_latency + m.l1.latency);  // a hit when the line is there
  EXPECT_GT(driver.memory.counters().sm.stall_cycles[static_cast<unsigned>(MemoryStall::merges_full)], 100u);
}

TEST(L1, ASetWhoseLinesAllWaitForDataTakesNoMore) {
  Driver driver(small());
  completions(driver, {load(0), load(set_stride), load(2 * set_stride)});
  EXPECT_GT(driver.memory.counters().sm.stall_cycles[static_cast<unsigned>(MemoryStall::set_reserved)], 100u);
  MachineDescription m = small();
  m.l1.allocation = Allocation::on_fill;
  Driver late(m);
  completions(late, {load(0), load(set_stride), load(2 * set_stride)});
  EXPECT_EQ(late.memory.counters().sm.stall_cycles[static_cast<unsigned>(MemoryStall::set_reserved)], 0u);
}

TEST(L1, RefusesWhenItsQueueIsFullAndSaysWhy) {
  MachineDescription m = preset("fermi-c2050");
  m.lsu.queue = 2;
  m.l1.mshrs = 1;
  MemorySystem memory(m);
  SmMemory& sm = memory.sm(0);
  EXPECT_TRUE(sm.access(0, load(0), 0).accepted());     // has the MSHR
  EXPECT_TRUE(sm.access(1, load(4096), 1).accepted());  // wait for it
  EXPECT_TRUE(sm.access(2, load(8192), 2).accepted());
  const Admission refused = sm.access(3, load(0), 3);
  EXPECT_EQ(refused.stall, MemoryStall::mshrs_full);
  EXPECT_EQ(refused.ready, never);
  EXPECT_EQ(sm.refusal(), MemoryStall::mshrs_full);
  EXPECT_STREQ(name(refused.stall), "mshrs full");
  EXPECT_EQ(memory.counters().sm.refused[static_cast<unsigned>(MemoryStall::mshrs_full)], 1u);
}

TEST(L1, StoresThatNoSliceHasAcceptedAreLimited) {
  MachineDescription m = preset("fermi-c2050");
  m.sms = 1;
  m.lsu.stores = 1;
  Driver driver(m);
  const auto done = completions(driver, {store(0), store(4096)});
  EXPECT_GE(done[1], 2 * done[0]);
  EXPECT_GT(driver.memory.counters().sm.stall_cycles[static_cast<unsigned>(MemoryStall::stores_full)], 50u);
}

struct WriteCase {
  WritePolicy policy;
  std::uint64_t hits, l2_writes;  // after a load, a store and a load of one line
};

TEST(L1, WritePolicies) {
  const WriteCase cases[] = {{WritePolicy::through, 1, 1}, {WritePolicy::evict, 0, 1}, {WritePolicy::back, 2, 0}};
  for (const WriteCase& of : cases) {
    MachineDescription m = small();
    m.l1.global_write = of.policy;
    Driver driver(m);
    driver.latency(load(0));
    driver.latency(store(0));
    driver.latency(load(0));
    EXPECT_EQ(hits(driver), of.hits);
    EXPECT_EQ(driver.memory.counters().l2.writes, of.l2_writes);
    // Written lines leave when they are replaced, or when the cache is emptied.
    driver.memory.sm(0).invalidate(driver.now());
    driver.latency(load(4096));
    EXPECT_EQ(driver.memory.counters().l2.writes, 1u);
    EXPECT_EQ(driver.memory.counters().sm.l1.write_backs, of.policy == WritePolicy::back ? 1u : 0u);
  }
}

TEST(L1, LoadsThatBypassItDoNotFillIt) {
  Driver driver(small());
  WarpAccess access = load(0);
  access.bypass_l1 = true;
  driver.latency(access);
  driver.latency(load(0));
  EXPECT_EQ(hits(driver), 0u);
}

// Threads of a warp at one offset of their local memory share a line.
TEST(L1, LocalMemoryOfAWarpIsCoalesced) {
  Driver driver(small());
  const auto access = warp_access(MemorySpace::local, MemoryOperation::store, 4, ~0u,
                                  [](unsigned lane) { return local_address(3, lane, 8, 64); });
  driver.latency(access);
  EXPECT_EQ(driver.memory.counters().sm.transactions, 1u);
  EXPECT_NE(local_address(3, 0, 60, 64), local_address(4, 0, 0, 64));
}

}  // namespace
}  // namespace heddle::device::sim
