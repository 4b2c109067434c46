// Transactions of a warp for each generation's rule, worked out by hand from the rules (tesla.md, TE7).
#include "device/sim/memory/coalescer.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "driver.hpp"

namespace heddle::device::sim {
namespace {

constexpr auto cc10 = CoalescingRule::half_warp_in_order;
constexpr auto cc12 = CoalescingRule::half_warp_segments;
constexpr auto lines = CoalescingRule::lines;
constexpr auto sectors = CoalescingRule::sectors;

struct Row {
  CoalescingRule rule;
  unsigned bytes;   // of a lane
  unsigned stride;  // bytes
  unsigned offset;  // of lane 0, from a boundary of 256 bytes
  std::uint32_t mask;
  unsigned transactions, moved;  // expected: count, and bytes in all
};
constexpr std::uint32_t all = ~0u, even = 0x55555555, lower = 0xffff;

const Row rows[] = {
    // In order and aligned: one transaction a half-warp, for 16 bytes two.
    {cc10, 4, 4, 0, all, 2, 128},
    {cc10, 4, 4, 64, all, 2, 128},
    {cc10, 8, 8, 0, all, 2, 256},
    {cc10, 16, 16, 0, all, 4, 512},
    {cc10, 4, 4, 0, even, 2, 128},
    {cc10, 4, 4, 0, lower, 1, 64},
    // All else: 32 bytes for each thread, of which stride 2 uses an eighth.
    {cc10, 4, 4, 4, all, 32, 1024},
    {cc10, 4, 4, 32, all, 32, 1024},
    {cc10, 8, 8, 64, all, 32, 1024},
    {cc10, 4, 0, 0, all, 32, 1024},
    {cc10, 4, 8, 0, all, 32, 1024},
    {cc10, 4, 128, 0, all, 32, 1024},
    {cc10, 1, 1, 0, all, 32, 1024},
    {cc10, 2, 2, 0, all, 32, 1024},
    {cc10, 4, 8, 0, even, 16, 512},
    // Segments of a half-warp, halved where one half is enough.
    {cc12, 4, 4, 0, all, 2, 128},
    {cc12, 4, 4, 4, all, 3, 128 + 64 + 32},
    {cc12, 4, 4, 32, all, 3, 128 + 32 + 32},
    {cc12, 4, 4, 64, all, 2, 128},
    {cc12, 4, 4, 0, lower, 1, 64},
    {cc12, 4, 4, 0, 0xff, 1, 32},
    {cc12, 4, 0, 0, all, 2, 64},
    {cc12, 4, 8, 0, all, 2, 256},
    {cc12, 4, 12, 0, all, 4, 128 + 64 + 64 + 128},
    {cc12, 4, 16, 0, all, 4, 512},
    {cc12, 4, 32, 0, all, 8, 1024},
    {cc12, 4, 64, 0, all, 16, 2048},
    {cc12, 4, 128, 0, all, 32, 1024},
    {cc12, 1, 1, 0, all, 2, 64},
    {cc12, 2, 2, 0, all, 2, 64},
    {cc12, 1, 32, 0, all, 32, 1024},
    {cc12, 2, 64, 0, all, 32, 1024},
    {cc12, 8, 8, 0, all, 2, 256},
    {cc12, 16, 16, 0, all, 4, 512},
    // Whole lines of a warp, of half-warps and quarters for wide words.
    {lines, 4, 4, 0, all, 1, 128},
    {lines, 4, 4, 4, all, 2, 256},
    {lines, 4, 0, 0, all, 1, 128},
    {lines, 4, 8, 0, all, 2, 256},
    {lines, 4, 12, 0, all, 3, 384},
    {lines, 4, 16, 0, all, 4, 512},
    {lines, 4, 64, 0, all, 16, 2048},
    {lines, 4, 128, 0, all, 32, 4096},
    {lines, 1, 1, 0, all, 1, 128},
    {lines, 8, 8, 0, all, 2, 256},
    {lines, 8, 8, 8, all, 4, 512},
    {lines, 16, 16, 0, all, 4, 512},
    {lines, 8, 0, 0, all, 2, 256},
    // Lines with the sectors that are touched.
    {sectors, 4, 4, 0, all, 1, 128},
    {sectors, 4, 4, 4, all, 2, 160},
    {sectors, 4, 4, 32, all, 2, 128},
    {sectors, 4, 0, 0, all, 1, 32},
    {sectors, 4, 8, 0, all, 2, 256},
    {sectors, 4, 32, 0, all, 8, 1024},
    {sectors, 4, 64, 0, all, 16, 1024},
    {sectors, 4, 128, 0, all, 32, 1024},
    {sectors, 1, 1, 0, all, 1, 32},
    {sectors, 2, 2, 0, all, 1, 64},
    {sectors, 8, 8, 0, all, 2, 256},
    {sectors, 16, 16, 0, all, 4, 512},
    {sectors, 4, 4, 0, 1, 1, 32},
};

unsigned moved_bytes(const Transactions& transactions) {
  unsigned bytes = 0;
  for (const Transaction& made : transactions) bytes += static_cast<unsigned>(std::popcount(made.sectors)) * 32;
  return bytes;
}

TEST(Coalescer, MakesTheTransactionsOfEachGenerationsTable) {
  for (const Row& row : rows) {
    MachineDescription machine;
    machine.coalescing = row.rule;
    const auto access =
        warp_access(MemorySpace::global, MemoryOperation::load, row.bytes, row.mask,
                    [&](unsigned lane) { return 4096 + row.offset + std::uint64_t{lane} * row.stride; });
    Transactions made;
    Coalescer(machine).coalesce(access, true, made);
    EXPECT_EQ(made.count, row.transactions) << "row " << &row - rows;
    EXPECT_EQ(moved_bytes(made), row.moved) << "row " << &row - rows;
  }
}

TEST(Coalescer, ThreadsInAnotherOrderAreNotInOrder) {
  const auto access = warp_access(MemorySpace::global, MemoryOperation::load, 4, ~0u,
                                  [](unsigned lane) { return 4096 + (31 - lane) * 4; });
  MachineDescription machine;
  Transactions made;
  const std::pair<CoalescingRule, unsigned> expected[] = {{cc10, 32}, {cc12, 2}, {lines, 1}, {sectors, 1}};
  for (const auto& [rule, count] : expected) {
    machine.coalescing = rule;
    Coalescer(machine).coalesce(access, true, made);
    EXPECT_EQ(made.count, count);
  }
}

TEST(Coalescer, StoresMoveTheSectorsThatTheyTouch) {
  MachineDescription machine;
  Transactions made;
  Coalescer(machine).coalesce(
      warp_access(MemorySpace::global, MemoryOperation::store, 4, 0x1ff, [](unsigned lane) { return lane * 4; }), false,
      made);
  ASSERT_EQ(made.count, 1u);
  EXPECT_EQ(made.list[0].words, 0x1ffu);
  EXPECT_EQ(made.list[0].sectors, 3u);
  EXPECT_EQ(whole_sectors(made.list[0].words), 1u);
}

TEST(Coalescer, LinesOfSixtyFourBytesAreApart) {
  MachineDescription machine;
  machine.l1.line = machine.l1.sector = 64;
  Transactions made;
  Coalescer(machine).coalesce(load(0), true, made);
  ASSERT_EQ(made.count, 2u);
  EXPECT_EQ(made.list[0].sectors, 3u);
  EXPECT_EQ(made.list[1].sectors, 12u);
}

// Four threads at each of eight words: the L2 needs to know how many meet.
TEST(Coalescer, CountsTheMeetingsOfAtomicOperations) {
  MachineDescription machine;
  Transactions made;
  const auto access = warp_access(MemorySpace::global, MemoryOperation::atomic, 4, ~0u,
                                  [](unsigned lane) { return 256 + lane / 4 * 4 + (lane == 31 ? 1024 : 0); });
  Coalescer(machine).coalesce(access, false, made);
  ASSERT_EQ(made.count, 2u);
  EXPECT_EQ(made.list[0].operations, 31);
  EXPECT_EQ(made.list[0].at_one_word, 4);
  EXPECT_EQ(made.list[1].operations, 1);
  EXPECT_EQ(made.list[1].at_one_word, 1);
}

}  // namespace
}  // namespace heddle::device::sim
