// How dynamic warps are formed and chosen: figure 8 of Dynamic Warp Formation, exactly, and the pool's limits.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "device/sim/policies/formation/majority_heap.hpp"
#include "device/sim/policies/formation/order.hpp"
#include "device/sim/policies/formation/warp_pool.hpp"

namespace heddle::device::sim {
namespace {

using machine::LaneThreads;
using machine::Thread;

// Two warps of four threads on the flow of figure 8: A leads to B or F, B to C or D, both of these to E, E and F to G,
// G to A. Each block is one slot, and threads that leave a block arrive before the next slot.
class Figure8 {
 public:
  Figure8() : threads_(8), pool_({}, counts_) {
    for (std::uint32_t i = 0; i < 8; ++i) threads_[i].linear = i;
    code_.index = 0;
    // By block: the threads of x, then those of y, that pass it.
    const char* const x[] = {"1111", "1110", "1000", "0110", "1110", "0001", "1111"};
    const char* const y[] = {"1111", "0011", "0010", "0001", "0011", "1100", "1111"};
    for (unsigned block = 0; block < 7; ++block) {
      for (unsigned lane = 0; lane < 4; ++lane) {
        passes_[block][lane] = x[block][lane] == '1';
        passes_[block][4 + lane] = y[block][lane] == '1';
      }
    }
  }

  // Once through the loop and into A again; returns the slots by block, as "A4 A4 B4 B1".
  std::string run(FormationOrder& order) {
    for (std::uint32_t warp = 0; warp < 2; ++warp) insert(order, 0, warp == 0 ? 0x0f : 0xf0);
    std::map<std::uint32_t, unsigned> turns;  // by thread: blocks passed
    std::string trace;
    unsigned left = 8;
    while (left != 0) {
      FormedWarp* const warp = order.next(pool_);
      if (!warp) break;
      order.issues(*warp);
      pool_.take(*warp);
      const auto active = static_cast<unsigned>(std::popcount(warp->mask));
      ++slots;
      lanes += active;
      trace += (trace.empty() ? "" : " ") + std::string(1, static_cast<char>('A' + warp->at.pc % 7)) +
               std::to_string(active);
      std::map<std::uint32_t, unsigned> arrivals;  // threads by block
      for (unsigned lane = 0; lane < 4; ++lane) {
        if (!((warp->mask >> lane) & 1)) continue;
        const std::uint32_t thread = warp->lanes[lane]->linear;
        EXPECT_EQ(thread % 4, lane) << "a thread keeps its lane";
        if (warp->at.pc == 7)
          --left;
        else
          arrivals[after(warp->at.pc, thread)] |= 1u << thread;
      }
      pool_.recycle(*warp);
      for (const auto& [block, which] : arrivals) insert(order, block, which);
    }
    return trace;
  }

  unsigned slots = 0, lanes = 0;
  PolicyCounts& counts() { return counts_; }

 private:
  // Block 7 is A of the next turn.
  std::uint32_t after(std::uint32_t block, std::uint32_t thread) const {
    for (std::uint32_t next = block + 1; next < 7; ++next)
      if (passes_[next][thread]) return next;
    return 7;
  }
  void insert(FormationOrder& order, std::uint32_t block, unsigned which) {
    LaneThreads by_lane{};
    LaneMask mask = 0;
    for (std::uint32_t thread = 0; thread < 8; ++thread) {
      if (!((which >> thread) & 1)) continue;
      by_lane[thread % 4] = &threads_[thread];
      mask |= 1u << (thread % 4);
    }
    for (const auto& touched : pool_.insert({&code_, block, 1}, by_lane, mask)) order.inserted(touched);
  }

  std::vector<Thread> threads_;
  machine::Code code_;
  bool passes_[7][8] = {};
  PolicyCounts counts_;
  WarpPool pool_;
};

TEST(Formation, Figure8StaticWarpsUse65Percent) {
  // The paper's static schedule: each warp alone through A B C D E F G A.
  const unsigned lanes = 4 + 3 + 1 + 2 + 3 + 1 + 4 + 4 + (4 + 2 + 1 + 1 + 2 + 2 + 4 + 4), slots = 16;
  EXPECT_EQ(lanes, 42u);
  EXPECT_NEAR(100.0 * lanes / (slots * 4), 65.6, 0.05);
}

TEST(Formation, Figure8DynamicWarpsUse81Percent) {
  Figure8 figure;
  const auto order = make_pc_order();
  const std::string trace = figure.run(*order);
  EXPECT_EQ(figure.lanes, 42u) << trace;
  EXPECT_EQ(figure.slots, 13u) << trace;
  EXPECT_NEAR(100.0 * figure.lanes / (figure.slots * 4), 80.8, 0.05);
}

TEST(Formation, Figure8WithTheOtherHeuristics) {
  const auto slots = [](std::unique_ptr<FormationOrder> order) {
    Figure8 figure;
    figure.run(*order);
    EXPECT_EQ(figure.lanes, 42u);
    return figure.slots;
  };
  EXPECT_EQ(slots(make_count_order(true)), 15u);
  EXPECT_EQ(slots(make_count_order(false)), 21u);
  EXPECT_EQ(slots(make_timestamp_order()), 15u);
}

class Pool : public testing::Test {
 protected:
  Pool() : threads_(64) {
    for (std::uint32_t i = 0; i < 64; ++i) threads_[i].linear = i;
  }
  std::span<const WarpPool::Touched> insert(WarpPool& pool, std::uint32_t pc, std::uint32_t first, LaneMask lanes) {
    LaneThreads by_lane{};
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((lanes >> lane) & 1) by_lane[lane] = &threads_[first + lane];
    return pool.insert({&code_, pc, 1}, by_lane, lanes);
  }
  static unsigned threads_in(const WarpPool& pool) {
    unsigned all = 0;
    for (const FormedWarp* warp : pool.warps()) all += static_cast<unsigned>(std::popcount(warp->mask));
    return all;
  }
  std::vector<Thread> threads_;
  machine::Code code_;
  PolicyCounts counts_;
};

TEST_F(Pool, ThreadsOfOnePlaceShareAWarpWhereTheirLanesAreFree) {
  WarpPool pool({}, counts_);
  insert(pool, 5, 0, 0x0000ffff);
  const auto touched = insert(pool, 5, 32, 0x00ffff00);
  ASSERT_EQ(touched.size(), 2u);
  EXPECT_EQ(touched[0].threads, 8u);
  EXPECT_EQ(touched[0].warp->mask, 0x00ffffffu);
  EXPECT_EQ(touched[1].warp->mask, 0x0000ff00u);
  EXPECT_EQ(counts_[PolicyEvent::merged], 8u);
  EXPECT_EQ(counts_[PolicyEvent::lane_conflicts], 8u);
  // The new warp is the one that is being formed now.
  insert(pool, 5, 0, 1u << 31);
  EXPECT_EQ(pool.warps().size(), 2u);
}

TEST_F(Pool, WithoutHomeLanesAllThreadsFit) {
  for (const RegisterFile registers : {RegisterFile::ideal, RegisterFile::crossbar}) {
    WarpPool pool({.registers = registers}, counts_);
    insert(pool, 5, 0, 0x0000ffff);
    insert(pool, 5, 32, 0x0000ffff);
    ASSERT_EQ(pool.warps().size(), 1u);
    EXPECT_EQ(pool.warps()[0]->mask, 0xffffffffu);
  }
}

TEST_F(Pool, AnIssuedWarpTakesNoMoreThreads) {
  WarpPool pool({}, counts_);
  FormedWarp* const first = insert(pool, 5, 0, 1).front().warp;
  pool.take(*first);
  FormedWarp* const second = insert(pool, 5, 0, 2).front().warp;
  EXPECT_NE(first, second);
  EXPECT_EQ(second->mask, 2u);
  pool.recycle(*first);
}

TEST_F(Pool, AForgottenPlaceOpensASecondWarp) {
  WarpPool pool({.lut_entries = 4, .lut_ways = 1}, counts_);
  insert(pool, 1, 0, 1);
  insert(pool, 5, 0, 2);  // the same set
  EXPECT_EQ(counts_[PolicyEvent::lut_evictions], 1u);
  insert(pool, 1, 0, 4);
  EXPECT_EQ(pool.warps().size(), 3u);
}

TEST_F(Pool, TheLeastRecentlyUsedWayIsForgotten) {
  PcWarpLut lut(2, 2);
  EXPECT_FALSE(lut.set({&code_, 1, 1}, 10));
  EXPECT_FALSE(lut.set({&code_, 2, 1}, 20));
  EXPECT_EQ(lut.find({&code_, 1, 1}), 10u);
  EXPECT_TRUE(lut.set({&code_, 3, 1}, 30));
  EXPECT_EQ(lut.find({&code_, 1, 1}), 10u);
  EXPECT_EQ(lut.find({&code_, 2, 1}), PcWarpLut::no_warp);
  lut.forget(10);
  EXPECT_EQ(lut.find({&code_, 1, 1}), PcWarpLut::no_warp);
}

TEST_F(Pool, ThreadsThatFindItFullWaitInTheQueueAndComeBack) {
  WarpPool pool({.warps = 4}, counts_);
  for (std::uint32_t pc = 0; pc < 12; ++pc) insert(pool, pc, 0, LaneMask{1} << pc);
  EXPECT_EQ(pool.warps().size(), 4u);
  EXPECT_EQ(pool.queued(), 8u);
  unsigned issued = 0;
  while (!pool.empty()) {
    FormedWarp& warp = *pool.warps().front();
    issued += static_cast<unsigned>(std::popcount(warp.mask));
    pool.take(warp);
    pool.recycle(warp);
    pool.refill();
    EXPECT_LE(pool.warps().size(), 4u);
  }
  EXPECT_EQ(issued, 12u);
  EXPECT_EQ(counts_[PolicyEvent::spilled], counts_[PolicyEvent::refilled]);
  EXPECT_EQ(threads_in(pool) + pool.queued(), 0u);
}

// The order of places: all warps of the one with most threads issue before another has its turn, though it has more by
// then.
TEST_F(Pool, MajorityKeepsItsPlaceUntilItHasNoThreads) {
  WarpPool pool({}, counts_);
  const auto order = make_count_order(true);
  insert(pool, 3, 0, 0xff);
  insert(pool, 3, 32, 0x0f);  // a second warp at the same place
  insert(pool, 1, 0, 0xf00);
  EXPECT_EQ(order->next(pool)->at.pc, 3u);
  pool.take(*order->next(pool));
  insert(pool, 1, 32, 0xfffff000);
  EXPECT_EQ(order->next(pool)->at.pc, 3u);
  pool.take(*order->next(pool));
  EXPECT_EQ(order->next(pool)->at.pc, 1u);
}

// The heap of places: in order after each step, and issues what the exact order issues.
TEST_F(Pool, TheHeapOfPlacesIsInOrderAndTakesTime) {
  WarpPool pool({}, counts_);
  Cycle now = 1000;
  MajorityHeap heap({.ports = 1}, now, counts_);
  const auto exact = make_count_order(true);
  std::mt19937 random(3);
  unsigned waited = 0;  // for the one port
  for (unsigned step = 0; step < 400; ++step) {
    const auto lanes = static_cast<LaneMask>(random());
    for (const auto& touched : insert(pool, random() % 24, random() % 2 * 32, lanes == 0 ? 1 : lanes))
      heap.inserted(touched);
    ASSERT_TRUE(heap.consistent());
    if (pool.warps().size() < 40) continue;
    waited += heap.ready() > now ? 1 : 0;
    now = std::max(now, heap.ready());
    FormedWarp* const warp = heap.next(pool);
    ASSERT_NE(warp, nullptr);
    EXPECT_EQ(warp->at, exact->next(pool)->at);
    heap.issues(*warp);
    pool.take(*warp);
    pool.recycle(*warp);
    ASSERT_TRUE(heap.consistent());
  }
  while (!pool.empty()) {
    FormedWarp& warp = *heap.next(pool);
    heap.issues(warp);
    pool.take(warp);
    ASSERT_TRUE(heap.consistent());
  }
  EXPECT_EQ(heap.next(pool), nullptr);
  EXPECT_GT(waited, 50u);
  EXPECT_EQ(counts_[PolicyEvent::heap_full], 0u);
}

TEST_F(Pool, ManyPortsTakeNoTime) {
  WarpPool pool({}, counts_);
  Cycle now = 10;
  MajorityHeap slow({.ports = 1}, now, counts_), fast({.ports = 64}, now, counts_);
  for (std::uint32_t pc = 0; pc < 8; ++pc)
    for (const auto& touched : insert(pool, pc, 0, (LaneMask{1} << (pc + 1)) - 1)) {
      slow.inserted(touched);
      fast.inserted(touched);
    }
  EXPECT_GT(slow.ready(), now + 8);
  EXPECT_LE(fast.ready(), now + 1);
  EXPECT_EQ(slow.next(pool)->at.pc, 7u);
}

TEST_F(Pool, PdomPriorityPrefersThreadsThatHavePassedFewerJoins) {
  WarpPool pool({}, counts_);
  const auto order = make_pdom_order({[](const Place& place) { return place.pc == 7; }, 64});
  const auto put = [&](std::uint32_t pc, std::uint32_t first, LaneMask lanes) {
    for (const auto& touched : insert(pool, pc, first, lanes)) order->inserted(touched);
  };
  put(7, 0, 1);  // passes a join
  order->issues(*order->next(pool));
  pool.take(*order->next(pool));
  put(9, 0, 1);
  put(8, 0, 0xff0);
  EXPECT_EQ(order->next(pool)->at.pc, 8u);
}

}  // namespace
}  // namespace heddle::device::sim
