// What a program may have pending.
#include "sched/backlog.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/flag_event.hpp"
#include "support/wait_until.hpp"

namespace heddle::sched {
namespace {

TEST(Backlog, AMarkIsDueNowAndThen) {
  Backlog backlog;
  unsigned marks = 0;
  for (unsigned i = 0; i < 10 * Backlog::stride; ++i) marks += backlog.count() ? 1 : 0;
  EXPECT_EQ(marks, 10u);
  EXPECT_FALSE(backlog.full());
}

TEST(Backlog, WaitsForTheOldestMarkThatIsNotReached) {
  std::vector<std::shared_ptr<tests::FlagPoint>> points;
  Backlog backlog;
  for (unsigned i = 0; i < Backlog::most; ++i) {
    EXPECT_FALSE(backlog.full());
    backlog.wait_for_room();
    points.push_back(std::make_shared<tests::FlagPoint>());
    backlog.add({points.back()});
  }
  EXPECT_TRUE(backlog.full());
  std::atomic<pid_t> waiting{0};
  std::atomic<bool> over = false;
  std::thread thread([&] {
    waiting = ::gettid();
    backlog.wait_for_room();
    over = true;
  });
  EXPECT_TRUE(tests::wait_until([&] { return waiting != 0 && tests::is_blocked(waiting); }));
  EXPECT_FALSE(over);
  points[0]->reached = true;
  thread.join();
  EXPECT_FALSE(backlog.full());
  for (const auto& point : points) point->reached = true;
}

TEST(Backlog, MarksOfSeveralQueuesAreReachedTogether) {
  const auto first = std::make_shared<tests::FlagPoint>(), second = std::make_shared<tests::FlagPoint>();
  Backlog backlog;
  first->reached = true;
  for (unsigned i = 0; i < Backlog::most; ++i) backlog.add({first, second});
  EXPECT_TRUE(backlog.full());
  second->reached = true;
  backlog.wait_for_room();
  EXPECT_FALSE(backlog.full());
  backlog.add({});  // nothing was in flight
  EXPECT_FALSE(backlog.full());
}

}  // namespace
}  // namespace heddle::sched
