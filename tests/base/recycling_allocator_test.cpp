#include "base/recycling_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

using heddle::base::RecyclingAllocator;

struct alignas(64) Wide {
  explicit Wide(int value) : value(value) {}
  int value;
};

std::shared_ptr<Wide> make(int value) { return std::allocate_shared<Wide>(RecyclingAllocator<Wide>(), value); }

TEST(RecyclingAllocator, AThreadUsesTheMemoryThatItHasFreedLast) {
  const Wide* const first = make(1).get();
  const auto second = make(2);
  EXPECT_EQ(second.get(), first);
  EXPECT_EQ(second->value, 2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second.get()) % alignof(Wide), 0u);
}

TEST(RecyclingAllocator, ManyObjectsAtOnceAreDistinct) {
  std::vector<std::shared_ptr<Wide>> all;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) all.push_back(make(i));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)]->value, i);
    all.clear();
  }
}

TEST(RecyclingAllocator, AnotherThreadMayFree) {
  std::vector<std::shared_ptr<Wide>> all;
  for (int i = 0; i < 40; ++i) all.push_back(make(i));
  std::thread([all = std::move(all)]() mutable { all.clear(); }).join();
  EXPECT_EQ(make(7)->value, 7);
}

TEST(RecyclingAllocator, ListsOfObjectsAreOrdinaryMemory) {
  std::vector<int, RecyclingAllocator<int>> numbers(1000, 3);
  numbers.resize(2000, 4);
  EXPECT_EQ(numbers[999] + numbers[1999], 7);
}

}  // namespace
