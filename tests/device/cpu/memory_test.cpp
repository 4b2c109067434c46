#include "device/cpu/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include <cstring>
#include <random>

#include "heddle/error.hpp"

namespace heddle::device::cpu {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t gib = 1ull << 30;

TEST(Allocator, ManySizesNeverOverlap) {
  Allocator allocator(4 * gib, gib);
  std::mt19937 random(1);
  struct Live {
    std::uint64_t address;
    std::size_t size;
    std::uint8_t tag;
  };
  std::vector<Live> live;
  for (int i = 0; i < 20'000; ++i) {
    if (!live.empty() && random() % 3 == 0) {
      const std::size_t victim = random() % live.size();
      const Live gone = live[victim];
      // What the neighbours wrote did not reach it.
      const auto* bytes = reinterpret_cast<std::uint8_t*>(gone.address);
      ASSERT_EQ(bytes[0], gone.tag);
      ASSERT_EQ(bytes[gone.size - 1], gone.tag);
      ASSERT_TRUE(allocator.release(gone.address, AllocationKind::buffer));
      live[victim] = live.back();
      live.pop_back();
    } else {
      const std::size_t size = 1 + random() % (random() % 64 == 0 ? 600'000 : 4000);
      const std::uint64_t address = allocator.allocate(size, AllocationKind::buffer);
      ASSERT_EQ(address % Allocator::alignment, 0u);
      const auto tag = static_cast<std::uint8_t>(random());
      auto* bytes = reinterpret_cast<std::uint8_t*>(address);
      bytes[0] = bytes[size - 1] = tag;
      live.push_back({address, size, tag});
    }
  }
  for (const Live& one : live) EXPECT_TRUE(allocator.release(one.address, AllocationKind::buffer));
  EXPECT_EQ(allocator.used(), 0u);
}

TEST(Allocator, FreedMemoryIsUsedAgain) {
  Allocator allocator(gib, gib);
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 1000; ++i) addresses.push_back(allocator.allocate(1000, AllocationKind::buffer));
  for (const std::uint64_t address : addresses) allocator.release(address, AllocationKind::buffer);
  // All of it has become one piece again.
  const std::uint64_t all = allocator.allocate(200'000, AllocationKind::buffer);
  EXPECT_EQ(all, *std::min_element(addresses.begin(), addresses.end()));
}

TEST(Allocator, OutOfMemoryNamesTheHolders) {
  Allocator allocator(1 << 20, 1 << 20);
  allocator.allocate(700'000, AllocationKind::buffer);
  allocator.allocate(1000, AllocationKind::variable, "lut");
  try {
    allocator.allocate(400'000, AllocationKind::buffer);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_THAT(error.what(), HasSubstr("held by 2 allocations"));
    EXPECT_THAT(error.what(), HasSubstr("module variables"));
  }
  EXPECT_THROW(allocator.allocate(~std::size_t{0}, AllocationKind::buffer), Error);
}

TEST(Allocator, Whereabouts) {
  Allocator allocator(gib, gib);
  EXPECT_THAT(allocator.whereabouts(0x12345678), HasSubstr("there are none"));
  EXPECT_EQ(allocator.whereabouts(0), "a null pointer");
  EXPECT_EQ(allocator.whereabouts(24), "a null pointer and 24 bytes");
  const std::uint64_t a = allocator.allocate(1000, AllocationKind::variable, "table");
  EXPECT_THAT(allocator.whereabouts(a + 10), HasSubstr("at offset 10 of the module variable 'table' of 1000 bytes"));
  EXPECT_THAT(allocator.whereabouts(a + 1003), HasSubstr("3 bytes past the end"));
  EXPECT_THAT(allocator.whereabouts(a - 2), HasSubstr("2 bytes before"));
  EXPECT_EQ(allocator.whereabouts(a + (std::uint64_t{1} << 42)), "in no allocation; the nearest is 4.00 TiB away");
  EXPECT_TRUE(allocator.contains(a, 1000));
  EXPECT_FALSE(allocator.contains(a, 1001));
  EXPECT_FALSE(allocator.contains(a + 1000, 1));
  EXPECT_TRUE(allocator.contains(a + 1000, 0));
}

TEST(Allocator, HeapIsCheckedAndLimited) {
  Allocator allocator(gib, 1000);
  const std::uint64_t a = allocator.allocate_heap(600);
  ASSERT_NE(a, 0u);
  EXPECT_EQ(allocator.allocate_heap(600), 0u);
  EXPECT_FALSE(allocator.release(a + 8, AllocationKind::heap));
  EXPECT_FALSE(allocator.release(a, AllocationKind::buffer));
  EXPECT_FALSE(allocator.was_heap(a));
  EXPECT_TRUE(allocator.release(a, AllocationKind::heap));
  EXPECT_FALSE(allocator.release(a, AllocationKind::heap));
  EXPECT_TRUE(allocator.was_heap(a));
  EXPECT_NE(allocator.allocate_heap(600), 0u);
}

// Else a checked access one element behind the end passes for one of the neighbour's.
TEST(AllocationMap, WhatIsBehindAnAllocationIsInNone) {
  Allocator allocator(8 * gib, gib);
  std::vector<std::pair<std::uint64_t, std::size_t>> placed;
  for (const std::size_t size : {1, 16, 240, 255, 256, 512, 768, 4096, 65'536, 131'072, 262'144, 1'048'576, 4'194'304})
    for (int i = 0; i < 8; ++i) placed.emplace_back(allocator.allocate(size, AllocationKind::buffer), size);
  for (int i = 0; i < 64; ++i) placed.emplace_back(allocator.allocate_heap(256), 256);
  const auto map = allocator.snapshot();
  for (const auto& [address, size] : placed) {
    EXPECT_NE(map->find(address + size - 1, 1), nullptr) << size;
    EXPECT_EQ(map->find(address + size, 1), nullptr) << size;
    const std::size_t gap = std::clamp<std::size_t>(size / 8, 16, 64 * 1024);
    EXPECT_EQ(map->find(address + size + gap - 1, 1), nullptr) << size;
  }
}

TEST(AllocationMap, FindsRanges) {
  Allocator allocator(gib, gib);
  const std::uint64_t version = allocator.version();
  const std::uint64_t a = allocator.allocate(100, AllocationKind::buffer);
  const std::uint64_t b = allocator.allocate(300'000, AllocationKind::constant, "c");
  EXPECT_NE(allocator.version(), version);
  const auto map = allocator.snapshot();
  ASSERT_NE(map->find(a, 100), nullptr);
  EXPECT_FALSE(map->find(a, 100)->constant);
  EXPECT_EQ(map->find(a, 101), nullptr);
  EXPECT_EQ(map->find(a + 100, 1), nullptr);
  EXPECT_EQ(map->find(a - 1, 1), nullptr);
  ASSERT_NE(map->find(b + 299'999, 1), nullptr);
  EXPECT_TRUE(map->find(b + 299'999, 1)->constant);
  EXPECT_EQ(map->find(~0ull, 1), nullptr);
}

TEST(Allocator, FingerprintChangesWithWhatIsWritten) {
  Allocator allocator(4 * gib, gib);
  EXPECT_EQ(allocator.fingerprint(), allocator.fingerprint());
  std::uint64_t print = allocator.fingerprint();
  const auto expect_change = [&] {
    const std::uint64_t now = allocator.fingerprint();
    EXPECT_NE(now, print);
    EXPECT_EQ(allocator.fingerprint(), now);
    print = now;
  };
  for (const std::size_t bytes : {4u, 300u, 5000u, 3'000'001u, 40'000'000u}) {
    const std::uint64_t address = allocator.allocate(bytes, AllocationKind::buffer);
    std::memset(reinterpret_cast<void*>(address), 0, bytes);
    print = allocator.fingerprint();
    for (const std::size_t at : {std::size_t{0}, bytes / 4, bytes - 1}) {
      if (bytes > 16'000'000 && at == bytes / 4) {
        // Of the inside of a large one a sample is looked at: bulk changes show.
        std::memset(reinterpret_cast<void*>(address + at), 9, 200'000);
      } else {
        reinterpret_cast<std::uint8_t*>(address)[at] ^= 0x80;
      }
      expect_change();
    }
  }
}

}  // namespace
}  // namespace heddle::device::cpu
