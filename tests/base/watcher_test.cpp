#include "base/watcher.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <semaphore>
#include <thread>
#include <vector>

namespace heddle::base {
namespace {

TEST(Watcher, RunsWhatIsPostedInOrderOnOneThread) {
  const auto watcher = make_watcher(std::make_shared<SteadyClock>());
  std::vector<int> seen;
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 1000; ++i)
    watcher->post([&, i] {
      seen.push_back(i);
      threads.push_back(std::this_thread::get_id());
    });
  watcher->drain();
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(threads[static_cast<std::size_t>(i)], threads.front());
  }
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(Watcher, ConditionsOfOneSequenceAreReachedInOrder) {
  const auto watcher = make_watcher(std::make_shared<SteadyClock>());
  std::atomic<bool> first{false}, second{true};
  std::vector<int> seen;
  std::binary_semaphore done{0};
  const int key = 0;
  watcher->poll(&key, 1, [&] { return first.load(); }, [&] { seen.push_back(1); });
  watcher->poll(
      &key, 1, [&] { return second.load(); },
      [&] {
        seen.push_back(2);
        done.release();
      });
  std::binary_semaphore other{0};
  watcher->poll(nullptr, 0, [] { return true; }, [&] { other.release(); });
  other.acquire();  // another sequence is not held up
  watcher->drain();
  first = true;
  done.acquire();
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
}

// The end of what comes later in a queue may be asked for first, and may depend on the callback of what is before it.
TEST(Watcher, ConditionsOfOneSequenceHaveTheirPlaces) {
  const auto watcher = make_watcher(std::make_shared<SteadyClock>());
  std::atomic<bool> second{false};
  std::vector<int> seen;
  std::binary_semaphore done{0};
  const int key = 0;
  const auto later = [&](int number) {
    return [&, number] {
      seen.push_back(number);
      if (number == 3) done.release();
    };
  };
  watcher->poll(&key, 3, [&] { return second.load(); }, later(3));
  watcher->drain();
  watcher->poll(&key, 2, [&] { return second.load(); }, later(2));
  watcher->poll(
      &key, 1, [] { return true; },
      [&] {
        seen.push_back(1);
        second = true;
      });
  done.acquire();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST(Watcher, TimersFollowTheClock) {
  const auto clock = std::make_shared<ManualClock>();
  const auto watcher = make_watcher(clock);
  std::vector<int> seen;
  std::binary_semaphore late{0};
  watcher->at(200, [&] {
    seen.push_back(200);
    late.release();
  });
  const std::uint64_t never = watcher->at(150, [&] { seen.push_back(150); });
  std::binary_semaphore early{0};
  watcher->at(100, [&] {
    seen.push_back(100);
    early.release();
  });
  watcher->drain();
  clock->advance(100);
  early.acquire();
  EXPECT_TRUE(watcher->cancel(never));
  EXPECT_FALSE(watcher->cancel(never));
  clock->advance(100);
  late.acquire();
  EXPECT_EQ(seen, (std::vector<int>{100, 200}));
}

// One that is set again and again for a time that is over does not keep the others waiting.
TEST(Watcher, TimersOfTheEndlessPastLetOthersRun) {
  const auto clock = std::make_shared<ManualClock>();
  clock->advance(1000);
  const auto watcher = make_watcher(clock);
  std::atomic<bool> enough{false};
  std::binary_semaphore other{0}, ended{0};
  std::function<void()> again = [&] {
    if (enough)
      ended.release();
    else
      watcher->at(1, again);
  };
  watcher->at(1, again);
  watcher->at(1000, [&] { other.release(); });
  EXPECT_TRUE(other.try_acquire_for(std::chrono::seconds(30)));
  enough = true;
  ended.acquire();
}

TEST(Watcher, CallbacksMayUseIt) {
  const auto watcher = make_watcher(std::make_shared<SteadyClock>());
  std::binary_semaphore done{0};
  watcher->post(
      [&] { watcher->poll(nullptr, 0, [] { return true; }, [&] { watcher->post([&] { done.release(); }); }); });
  done.acquire();
}

TEST(Watcher, MayEndInACallback) {
  auto watcher = make_watcher(std::make_shared<SteadyClock>());
  std::binary_semaphore mine{0}, done{0};
  watcher->post([last = watcher, &mine, &done]() mutable {
    mine.acquire();
    last.reset();
    done.release();
  });
  watcher.reset();
  mine.release();
  done.acquire();
}

TEST(Watcher, IsSharedByTheProcess) {
  const auto one = process_watcher();
  EXPECT_EQ(one, process_watcher());
}

}  // namespace
}  // namespace heddle::base
