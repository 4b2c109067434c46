#include "base/thread_end.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using heddle::base::at_thread_end;
using heddle::base::ThreadObject;

std::atomic<int> calls{0};
void count(void* object) { calls += *static_cast<int*>(object); }

TEST(ThreadEnd, CallsTheFunctionWithTheObjectGivenLast) {
  calls = 0;
  int one = 1, two = 2;
  std::thread([&] { EXPECT_TRUE(at_thread_end<&count>(&one)); }).join();
  EXPECT_EQ(calls, 1);
  std::thread([&] { EXPECT_TRUE(at_thread_end<&count>(&one) && at_thread_end<&count>(&two)); }).join();
  EXPECT_EQ(calls, 3);
}

std::atomic<int> living{0};
struct Counted {
  Counted() { ++living; }
  ~Counted() { --living; }
  int value = 0;
};

TEST(ThreadObject, EachThreadHasItsOwnUntilItEnds) {
  std::thread([] {
    ThreadObject<Counted>::get()->value = 5;
    std::thread([] { EXPECT_EQ(ThreadObject<Counted>::get()->value, 0); }).join();
    EXPECT_EQ(ThreadObject<Counted>::get()->value, 5);
    EXPECT_EQ(living, 1);
  }).join();
  EXPECT_EQ(living, 0);
}

// A destructor of a thread_local object of the program runs before, one of another key may run after.
std::atomic<int> found{0};
void look(void*) { found = 1 + ThreadObject<Counted>::get()->value; }

TEST(ThreadObject, CodeAtTheEndOfAThreadGetsOne) {
  found = 0;
  std::thread([] {
    ThreadObject<Counted>::get()->value = 5;
    EXPECT_TRUE(at_thread_end<&look>(&found));
  }).join();
  EXPECT_NE(found, 0);
  EXPECT_EQ(living, 0);
}

void never(void*) { ADD_FAILURE(); }
struct Refused : Counted {};

TEST(ThreadEnd, SaysThatTheSystemRefuses) {
  std::vector<pthread_key_t> keys;
  for (pthread_key_t key; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
  int object = 0;
  EXPECT_FALSE(at_thread_end<&never>(&object));
  EXPECT_EQ(ThreadObject<Refused>::get(), nullptr);
  EXPECT_EQ(living, 0);
  for (const pthread_key_t key : keys) pthread_key_delete(key);
}

}  // namespace
