#include "device/cpu/fiber.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "device/cpu/fiber_set.hpp"

namespace heddle::device::cpu {
namespace {

struct Ring {
  Fiber thread;
  std::vector<Fiber> fibers;
  std::vector<int> order;
  unsigned turns = 0;
  unsigned next = 0;
};
struct Member {
  Ring* ring;
  unsigned index;
};

void run_member(void* argument) {
  const Member& member = *static_cast<Member*>(argument);
  Ring& ring = *member.ring;
  for (;;) {
    ring.order.push_back(static_cast<int>(member.index));
    const bool last = ring.order.size() == ring.turns;
    Fiber& to = last ? ring.thread : ring.fibers[(member.index + 1) % ring.fibers.size()];
    Fiber::switch_to(ring.fibers[member.index], to);
  }
}

TEST(Fiber, SwitchesInARing) {
  StackPool stacks;
  Ring ring;
  ring.fibers = std::vector<Fiber>(5);
  std::vector<Member> members;
  std::vector<Stack*> used;
  for (unsigned i = 0; i < 5; ++i) members.push_back({&ring, i});
  for (unsigned i = 0; i < 5; ++i) {
    used.push_back(stacks.take(8192));
    ring.fibers[i].reset(*used[i], &run_member, &members[i]);
  }
  ring.turns = 23;
  ring.thread.adopt_thread();
  Fiber::switch_to(ring.thread, ring.fibers[0]);
  ASSERT_EQ(ring.order.size(), 23u);
  for (unsigned i = 0; i < 23; ++i) EXPECT_EQ(ring.order[i], static_cast<int>(i % 5));
  // A fiber may be started afresh although it never came to an end.
  ring.order.clear();
  ring.turns = 1;
  ring.fibers[2].reset(*used[2], &run_member, &members[2]);
  Fiber::switch_to(ring.thread, ring.fibers[2]);
  EXPECT_EQ(ring.order, std::vector<int>{2});
}

TEST(StackPool, GivesDistinctStacksAndTakesThemBack) {
  StackPool pool;
  std::set<Stack*> stacks;
  for (int i = 0; i < 100; ++i) {
    Stack* stack = pool.take(10'000);
    ASSERT_NE(stack, nullptr);
    EXPECT_GE(static_cast<std::size_t>(stack->start() - stack->low()), 10'000u);
    stack->low()[0] = std::byte{1};
    stack->start()[-1] = std::byte{1};
    EXPECT_TRUE(stacks.insert(stack).second);
  }
  for (Stack* stack : stacks) pool.give(stack);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(stacks.contains(pool.take(10'000)));
}

TEST(StackPool, GuardsLieBelow) {
  StackPool pool;
  const Stack* stack = pool.take(1 << 20);
  const auto low = reinterpret_cast<std::uint64_t>(stack->low());
  EXPECT_TRUE(stack->guard_contains(low - 1));
  EXPECT_TRUE(stack->guard_contains(low - 4096));
  EXPECT_FALSE(stack->guard_contains(low));
  EXPECT_TRUE(stack->contains(low));
}

TEST(FiberSet, RingOrder) {
  FiberSet set;
  EXPECT_EQ(set.next_after(0, 16), -1);
  for (unsigned member : {3u, 63u, 64u, 1000u}) set.set(member);
  EXPECT_EQ(set.next_after(0, 16), 3);
  EXPECT_EQ(set.next_after(3, 16), 63);
  EXPECT_EQ(set.next_after(63, 16), 64);
  EXPECT_EQ(set.next_after(64, 16), 1000);
  EXPECT_EQ(set.next_after(1000, 16), 3);
  set.reset(16);
  set.set(7);
  EXPECT_EQ(set.next_after(7, 16), 7);
  EXPECT_EQ(set.next_after(7, 1), 7);
}

TEST(FiberSet, FillAndForEach) {
  for (unsigned count : {1u, 31u, 63u, 64u, 65u, 128u, 1024u}) {
    FiberSet set;
    set.fill(count);
    unsigned seen = 0;
    set.for_each((count + 63) / 64, [&](unsigned i) { EXPECT_EQ(i, seen++); });
    EXPECT_EQ(seen, count);
  }
}

}  // namespace
}  // namespace heddle::device::cpu
