// Launches that repeat themselves, and how that ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <atomic>
#include <thread>

#include "runtime/fixture.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;

class ReplayTest : public RuntimeTest {
 protected:
  sched::Replayer& replayer() { return core_->replayer(); }
  std::size_t held() {
    const base::Lock lock(core_->mutex());
    return replayer().held();
  }
  std::uint64_t abandoned() {
    const base::Lock lock(core_->mutex());
    return replayer().abandoned();
  }
  // a += i, copied to b and c; c += 1.
  void round(Array<float>& a, Array<float>& b, Array<float>& c, float i) {
    launch("add_to", {}, 2, i, a);
    launch("copy_first", {}, 2, a, b);
    launch("copy_first", {}, 2, a, c);
    launch("add_to", {}, 2, 1.0f, c);
  }
};

TEST_F(ReplayTest, RoundsBetweenReadsBecomeGraphs) {
  for (const char* id : {"near", "far"}) {
    start({id});
    Array<float> a = floats({0, 10}), b = array<float>(2), c = array<float>(2);
    float sum = 0;
    for (int i = 0; i < 40; ++i) {
      sum += static_cast<float>(i);
      round(a, b, c, static_cast<float>(i));
      ASSERT_THAT(c.read(), ElementsAre(sum + 1, sum + 11)) << i;
      ASSERT_THAT(b.read(), ElementsAre(sum, sum + 10)) << i;
    }
    EXPECT_EQ(replayer().abandoned(), 0u);
    // On a device whose memory the host does not reach, reading moves bytes, which launches do not need here.
    EXPECT_GT(replayer().graphs(), 30u) << id;
  }
}

TEST_F(ReplayTest, UnbrokenLaunchesBecomeGraphs) {
  start({"near"});
  Array<float> a = floats({0, 10}), b = array<float>(2), c = array<float>(2);
  for (int i = 0; i < 1001; ++i) round(a, b, c, 1);
  EXPECT_GT(replayer().graphs(), 50u);
  EXPECT_THAT(c.read(), ElementsAre(1002, 1012));
  EXPECT_THAT(a.read(), ElementsAre(1001, 1011));
}

TEST_F(ReplayTest, ArgumentsMayChange) {
  start({"near"});
  Array<float> a = floats({0});
  float sum = 0;
  for (int i = 0; i < 1000; ++i) {
    sum += static_cast<float>(i % 7);
    launch("add_to", {}, 1, static_cast<float>(i % 7), a);
  }
  EXPECT_GT(replayer().graphs(), 10u);
  EXPECT_THAT(a.read(), ElementsAre(sum));
}

// What happened between the launches is seen by those after it.
TEST_F(ReplayTest, TheHostMayLookAndWriteInBetween) {
  for (const char* id : {"near", "far"}) {
    start({id});
    Array<float> a = floats({0, 0}), b = array<float>(2), c = array<float>(2);
    float sum = 0;
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 150; ++k, sum += 2) round(a, b, c, 2);
      ASSERT_EQ(c.read()[0], sum + 1) << i;
      for (int k = 0; k < 150; ++k, sum += 2) round(a, b, c, 2);
      ASSERT_EQ(a.write()[1], sum) << i;
      a.write()[0] = sum = sum + 5;
      a.write()[1] = sum;
    }
    EXPECT_GT(replayer().graphs(), 20u) << id;
  }
}

// Their uses of arrays are recorded for many launches at once.
TEST_F(ReplayTest, LaunchesThatFindEverythingAsItWasAreUsesToo) {
  start({"near"});
  Array<float> a = floats({0});
  memory::Array& of = a.buffer()->array();
  for (float sum = 10000; sum < 30000; sum += 10000) {
    for (int i = 0; i < 10000; ++i) launch("add_to", {}, 1, 1.0f, a);
    {
      const base::Lock lock(core_->mutex());
      EXPECT_GT(replayer().graphs(), 10u);
      EXPECT_GE(of.last_use(0) + 1, core_->scheduler().dag().last());
    }
    EXPECT_THAT(a.read(), ElementsAre(sum));
  }
  const base::Lock lock(core_->mutex());
  EXPECT_TRUE(of.read_back().expected());  // the host has read twice after as many launches
}

// Those between a wait of the host and the next period are compared, and not held.
TEST_F(ReplayTest, LaunchesThatAreNotHeldAreUsesOnce) {
  for (int more = 0; more < 2; ++more) {  // one of these waits within a period
    start({"near"});
    Array<float> a = floats({0}), b = floats({0});
    int i = 0;
    for (const int end : {1000 + more, 2000 + more}) {
      for (; i < end; ++i) launch("add_to", {}, 1, 1.0f, i % 2 == 0 ? a : b);
      EXPECT_EQ(b.read()[0], static_cast<float>(end / 2));
    }
    const base::Lock lock(core_->mutex());
    EXPECT_GT(replayer().graphs(), 10u);
    EXPECT_TRUE(b.buffer()->array().read_back().expected()) << more;  // 500 launches before each read
  }
}

TEST_F(ReplayTest, SomethingElseEndsIt) {
  start({"near"});
  Array<float> a = floats({0, 10}), b = array<float>(2), c = array<float>(2), other = floats({5});
  for (int i = 0; i < 30; ++i) {
    round(a, b, c, 1);
    static_cast<void>(c.read());
  }
  const auto graphs = replayer().graphs();
  EXPECT_GT(graphs, 0u);
  launch("add_to", {}, 2, 1.0f, a);
  EXPECT_EQ(held(), 1u);
  launch("add_to", {}, 1, 1.0f, other);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(replayer().abandoned(), 1u);
  launch("copy_first", {}, 2, a, b);
  EXPECT_THAT(b.read(), ElementsAre(31, 41));
  EXPECT_THAT(other.read(), ElementsAre(6));
  EXPECT_EQ(replayer().graphs(), graphs);
}

TEST_F(ReplayTest, TheHostMayWaitSooner) {
  start({"near"});
  Array<float> a = floats({0, 10}), b = array<float>(2), c = array<float>(2);
  for (int i = 0; i < 30; ++i) {
    round(a, b, c, 1);
    static_cast<void>(c.read());
  }
  const Launch adding = launch("add_to", {}, 2, 1.0f, a);
  EXPECT_EQ(held(), 1u);
  EXPECT_FALSE(adding.done());  // asking launches it
  EXPECT_EQ(held(), 0u);
  adding.wait();
  EXPECT_THAT(a.read(), ElementsAre(31, 41));
  for (int i = 0; i < 3; ++i) round(a, b, c, 1);
  EXPECT_THAT(a.write(), ElementsAre(34, 44));
}

TEST_F(ReplayTest, ArraysThatEndAreNotTakenForOthers) {
  start({"near"});
  Array<float> out = array<float>(2);
  for (int i = 0; i < 40; ++i) {
    Array<float> in = floats({static_cast<float>(i), 1});  // most often where the last one was
    launch("copy_first", {}, 2, in, out);
    launch("add_to", {}, 2, 1.0f, out);
    ASSERT_THAT(out.read(), ElementsAre(static_cast<float>(i + 1), 2));
  }
  EXPECT_EQ(replayer().graphs(), 0u);
}

TEST_F(ReplayTest, ModulesMayEndMeanwhile) {
  start({"near"});
  Array<float> a = floats({0});
  for (int i = 0; i < 200; ++i) launch("add_to", {}, 1, 1.0f, a);
  EXPECT_GT(held() + replayer().graphs(), 0u);
  module_.reset();
  EXPECT_EQ(held(), 0u);
  EXPECT_THAT(a.read(), ElementsAre(200));
}

// Launches that nothing follows are made by and by; how soon depends on the machine.
TEST_F(ReplayTest, NothingIsHeldForLong) {
  start({"near"});
  {
    const base::Lock lock(core_->mutex());
    replayer().set_patience(sched::Replayer::usual_patience);
  }
  Array<float> a = floats({0});
  int launches = 0;
  for (; held() == 0 && abandoned() == 0; ++launches) launch("add_to", {}, 1, 1.0f, a);
  while (held() > 0) std::this_thread::yield();
  EXPECT_GT(abandoned(), 0u);
  EXPECT_THAT(a.read(), ElementsAre(launches));
}

TEST_F(ReplayTest, BytesThatMustMoveAreNoRepetition) {
  start({"far"});
  Array<float> a = floats({0}), b = array<float>(1);
  for (int i = 0; i < 30; ++i) {
    a.write()[0] = static_cast<float>(i);
    launch("copy_first", {}, 1, a, b);
    launch("add_to", {}, 1, 1.0f, b);
    ASSERT_THAT(b.read(), ElementsAre(static_cast<float>(i + 1)));
  }
  EXPECT_EQ(replayer().graphs(), 0u);
}

TEST_F(ReplayTest, FailuresAreTold) {
  start({"near"});
  Array<float> a = floats({0}), b = floats({0}), c = floats({0});
  // The kernel that fails runs beside the others.
  std::vector<Launch> failing;
  int told = 0;
  for (int i = 0; i < 30; ++i) {
    launch("add_to", {}, 1, 1.0f, a);
    const Launch fails = launch("fails_with", {}, c);
    launch("add_to", {}, 1, 1.0f, b);
    try {
      fails.wait();
    } catch (const Error& error) {
      ++told;
      EXPECT_STREQ(error.what(), "kernel fails_with trapped");
    }
  }
  EXPECT_GT(replayer().graphs(), 10u);
  EXPECT_EQ(told, 30);
  EXPECT_THAT(b.read(), ElementsAre(30));
}

// A launch of another thread looked when nothing was held, and takes the lock when something is; it moves what that
// uses. Which thread gets the lock first is chance, so that this is tried often.
TEST_F(ReplayTest, AnotherThreadMayHaveLookedBefore) {
  int before = 0, met = 0;
  start({"far", "far1"});
  for (Array<float> a = floats({0}); !replayer().follows(); ++before) launch("add_to", {.device = "far"}, 1, 1.0f, a);
  for (int trial = 0; trial < 40; ++trial) {
    start({"far", "far1"});
    Array<float> a = floats({0});
    for (int i = 0; i < before - 1; ++i) launch("add_to", {.device = "far"}, 1, 1.0f, a);
    ASSERT_FALSE(replayer().follows());
    base::Lock lock(core_->mutex());
    std::atomic<pid_t> id{0};
    std::thread other([&] {
      id = ::gettid();
      launch("add_to", {.device = "far1"}, 1, 1000.0f, a);
    });
    EXPECT_TRUE(wait_until([&] { return id != 0 && is_blocked(id); }));  // it waits for the lock
    lock.unlock();
    for (int i = 0; i < 3; ++i) launch("add_to", {.device = "far"}, 1, 1.0f, a);
    met += held() > 0 ? 1 : 0;
    other.join();
    ASSERT_THAT(a.read(), ElementsAre(static_cast<float>(1000 + before + 2))) << trial;
  }
  RecordProperty("met", met);
}

// While one thread waits, with the lock free, another's launches may be found to repeat themselves, and be held.
class WaitingTest : public ReplayTest {
 protected:
  // Launches on a until the last one is held; as the next kernel add_to ends.
  void repeat_meanwhile(Array<float>& a, const LaunchOptions& options) {
    while_adding_ = [this, &a, options] {
      for (; held() == 0; ++added_) launch("add_to", options, 1, 1.0f, a);
    };
  }
  int added_ = 0;
};

TEST_F(WaitingTest, ALaunch) {
  start({"far", "far1"}, {.prefetch = false});
  Array<float> a = floats({0}), b = array<float>(1);
  launch("add_to", {.device = "far"}, 1, 1.0f, a);
  repeat_meanwhile(a, {.device = "far"});
  launch("copy_first", {.device = "far1"}, 1, a, b);  // waits until a has been moved
  ASSERT_GT(added_, 0);
  launch("copy_first", {.device = "far1"}, 1, a, b);
  EXPECT_THAT(b.read(), ElementsAre(static_cast<float>(1 + added_)));
}

TEST_F(WaitingTest, TheHost) {
  start({"near"});
  Array<float> a = floats({0});
  launch("add_to", {}, 1, 1.0f, a);
  repeat_meanwhile(a, {});
  static_cast<void>(a.read());
  ASSERT_GT(added_, 0);
  EXPECT_THAT(a.read(), ElementsAre(static_cast<float>(1 + added_)));
}

TEST_F(ReplayTest, CanBeSwitchedOff) {
  start({"near"}, {.replay = false});
  Array<float> a = floats({0});
  for (int i = 0; i < 300; ++i) launch("add_to", {}, 1, 1.0f, a);
  EXPECT_EQ(replayer().graphs(), 0u);
  EXPECT_EQ(held(), 0u);
  EXPECT_THAT(a.read(), ElementsAre(300));
}

}  // namespace
}  // namespace heddle::tests
