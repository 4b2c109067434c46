// Rows of the checklist that GrCUDA's paper gives (Parravicini et al., IPDPS 2021), for the whole runtime. The table in
// docs/testing.md says which tests the other rows have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;

class ChecklistTest : public RuntimeTest {
 protected:
  std::string trace() const {
    std::string text;
    for (const std::string& line : log_) text += line + "\n";
    return text;
  }
  // Queues that were made, and waits for events of other queues that were put into them, by a program.
  struct Counts {
    std::size_t queues;
    int waits;
  };
  Counts counts(const Scheduling& scheduling, const std::function<void()>& program) {
    log_.clear();
    start({"near"}, scheduling);
    program();
    core_->synchronize();
    return {devices_[0]->queues(), logged("near: wait")};
  }
};

// Row 4: first in, first out, and no more queues than the program has at once.
TEST_F(ChecklistTest, ThousandKernelsWithAWaitAfterEachTenTakeTenQueues) {
  start({"near"}, {.replay = false});
  std::vector<Array<float>> arrays;
  for (int i = 0; i < 10; ++i) arrays.push_back(floats({0}));
  for (int i = 0; i < 1000; ++i) {
    launch("add_to", {}, 1, 1.0f, arrays[i % 10]);
    if (i % 10 == 9) core_->synchronize();
  }
  EXPECT_LE(devices_[0]->queues(), 10u);
  for (const Array<float>& array : arrays) EXPECT_THAT(array.read(), ElementsAre(100));
}

// Row 5: the first child goes on in its parent's queue, so that only edges between queues are waited for.
TEST_F(ChecklistTest, WaitsAreAsManyAsEdgesBetweenQueues) {
  // VEC: two squares, and what reads both: one edge is within a queue, one is not.
  const Counts vec = counts({}, [&] {
    Array<float> x = floats({1}), y = floats({2}), z = floats({0});
    launch("add_to", {}, 1, 1.0f, x);
    launch("add_to", {}, 1, 1.0f, y);
    launch("hides", {}, z, in(x));
    launch("hides", {}, z, in(y));
    EXPECT_EQ(z.read()[0], 3);
  });
  EXPECT_EQ(vec.queues, 2u);
  EXPECT_EQ(vec.waits, 1);
  // A chain has none; of three readers of one array the first goes on in its writer's queue.
  const Counts chain = counts({}, [&] {
    Array<float> x = floats({1});
    for (int i = 0; i < 5; ++i) launch("add_to", {}, 1, 1.0f, x);
  });
  EXPECT_EQ(chain.queues, 1u);
  EXPECT_EQ(chain.waits, 0);
  const Counts fan = counts({}, [&] {
    Array<float> x = floats({1}), a = floats({0}), b = floats({0}), c = floats({0});
    launch("add_to", {}, 1, 1.0f, x);
    for (Array<float>* to : {&a, &b, &c}) launch("copy_first", {}, 1, x, *to);
  });
  EXPECT_EQ(fan.queues, 3u);
  EXPECT_EQ(fan.waits, 2);
}

// Row 6: execution.
TEST_F(ChecklistTest, SynchronousExecutionWaitsForEachLaunch) {
  for (const bool sync : {false, true}) {
    start({"near"}, {.execution = sync ? Scheduling::Execution::sync : Scheduling::Execution::async});
    Array<float> a = floats({1}), b = floats({1});
    const Launch first = launch("add_to", {}, 1, 1.0f, a);
    EXPECT_EQ(first.done(), sync);
    launch("add_to", {}, 1, 1.0f, b);
    EXPECT_EQ(devices_[0]->queues(), sync ? 1u : 2u);
  }
}

// Row 6: dependences, new queues, queues of children.
TEST_F(ChecklistTest, PoliciesChangeQueuesAndWaits) {
  const auto readers = [&] {
    Array<float> x = floats({1}), a = floats({0}), b = floats({0});
    launch("copy_first", {}, 1, x, a);
    launch("copy_first", {}, 1, x, b);
  };
  EXPECT_EQ(counts({}, readers).queues, 2u);
  EXPECT_EQ(counts({.dependences = Scheduling::Dependences::no_const}, readers).queues, 1u);

  const auto one_after_the_other = [&] {
    for (int i = 0; i < 3; ++i) {
      Array<float> x = floats({1});
      launch("add_to", {}, 1, 1.0f, x);
      static_cast<void>(x.read());
    }
  };
  EXPECT_EQ(counts({}, one_after_the_other).queues, 1u);
  EXPECT_EQ(counts({.new_queues = Scheduling::NewQueues::always_new}, one_after_the_other).queues, 3u);

  const auto fan = [&] {
    Array<float> x = floats({1}), a = floats({0}), b = floats({0});
    launch("add_to", {}, 1, 1.0f, x);
    launch("copy_first", {}, 1, x, a);
    launch("copy_first", {}, 1, x, b);
  };
  const Counts disjoint = counts({}, fan),
               same = counts({.child_queues = Scheduling::ChildQueues::same_as_parent}, fan);
  EXPECT_EQ(disjoint.queues, 2u);
  EXPECT_EQ(disjoint.waits, 1);
  EXPECT_EQ(same.queues, 1u);
  EXPECT_EQ(same.waits, 0);
}

// Row 6: prefetch. Without, the host waits for what must be moved first.
TEST_F(ChecklistTest, WithoutPrefetchTheHostWaitsForMoves) {
  for (const bool prefetch : {true, false}) {
    log_.clear();
    start({"far"}, {.prefetch = prefetch});
    Array<float> x = floats({1});
    const Launch made = launch("add_to", {}, 1, 1.0f, x);
    EXPECT_EQ(logged("far: copy 4"), prefetch ? 0 : 1);
    EXPECT_FALSE(made.done());
  }
}

// Row 7: reading an array that nobody uses asks no queue; one in use is waited for alone.
TEST_F(ChecklistTest, TheHostWaitsForWhatItReadsAndNothingElse) {
  start({"near"});
  Array<float> idle = floats({1}), used = floats({1}), other = floats({1});
  static_cast<void>(idle.read());
  const Launch first = launch("add_to", {}, 1, 1.0f, used), second = launch("add_to", {}, 1, 1.0f, other);
  const std::string before = trace();
  EXPECT_THAT(idle.read(), ElementsAre(1));
  EXPECT_EQ(trace(), before);
  EXPECT_THAT(used.read(), ElementsAre(2));
  EXPECT_TRUE(first.done());
  EXPECT_FALSE(second.done());
}

// Row 8: a kernel that reads what the host writes next sees the old value.
TEST_F(ChecklistTest, KernelsSeeWhatWasThereWhenTheyWereLaunched) {
  for (const char* device : {"near", "far"}) {
    start({device});
    Array<float> x = floats({0}), seen = floats({0});
    for (int i = 0; i < 50; ++i) {
      x.write()[0] = static_cast<float>(i);
      launch("copy_first", {}, 1, x, seen);
      x.write()[0] = -1;
      ASSERT_THAT(seen.read(), ElementsAre(i));
      ASSERT_THAT(x.read(), ElementsAre(-1));
    }
  }
}

// Row 9: what kernels only read the host may read meanwhile.
TEST_F(ChecklistTest, ArraysThatAreReadStayReadable) {
  for (const char* device : {"near", "far"}) {
    start({device});
    Array<float> x = floats({4}), seen = floats({0});
    const Launch reader = launch("copy_first", {}, 1, x, seen);
    EXPECT_THAT(x.read(), ElementsAre(4));
    EXPECT_FALSE(reader.done());
  }
}

// Row 10: what the host has changed is copied once, in the queue of who uses it, and not again.
TEST_F(ChecklistTest, ChangedArraysAreCopiedOnce) {
  start({"far"});
  Array<float> x = floats({1}), a = array<float>(1), b = array<float>(1);
  launch("copy_first", {}, 1, x, out(a));
  EXPECT_EQ(devices_[0]->queues(), 1u);  // the copy's, and the kernel behind it
  launch("copy_first", {}, 1, x, out(b));
  core_->synchronize();
  EXPECT_EQ(logged("far: copy 4"), 1);
  x.write()[0] = 2;
  launch("copy_first", {}, 1, x, out(a));
  core_->synchronize();
  EXPECT_EQ(logged("far: copy 4"), 2);
  EXPECT_THAT(a.read(), ElementsAre(2));
  EXPECT_THAT(b.read(), ElementsAre(1));
}

// Row 13: a program whose branches, loops and recursion hang on what its kernels have computed. A dependence that is
// missed changes what it does next, not only a number.
class Wanderer {
 public:
  using Add = std::function<void(float, Array<float>&)>;
  using Copy = std::function<void(Array<float>&, Array<float>&)>;
  Wanderer(std::vector<Array<float>>& arrays, Add add, Copy copy, std::uint32_t seed)
      : arrays_(arrays), add_(std::move(add)), copy_(std::move(copy)), random_(seed) {}

  void go(int depth) {
    const std::size_t at = random_() % arrays_.size();
    const int seen = static_cast<int>(at_(at).read()[0]);
    path_.push_back(seen);
    for (int turn = 0; turn <= seen % 3; ++turn) {
      const std::size_t other = (at + static_cast<std::size_t>(turn) + 1) % arrays_.size();
      add_(static_cast<float>(1 + seen % 5), at_(other));
      if (seen % 2 == 0)
        copy_(at_(other), at_(at));
      else if (depth > 0)
        go(depth - 1);
    }
    if (seen % 7 == 0 || seen > 1000) at_(at).write()[1] = static_cast<float>(seen % 11);
    if (seen > 1000) at_(at).write()[0] = static_cast<float>(seen % 13);
    if (depth > 0 && static_cast<int>(at_(at).read()[1]) % 3 != 1) go(depth - 1);
  }
  const std::vector<int>& path() const { return path_; }

 private:
  Array<float>& at_(std::size_t i) { return arrays_[i]; }
  std::vector<Array<float>>& arrays_;
  Add add_;
  Copy copy_;
  std::mt19937 random_;
  std::vector<int> path_;
};

TEST_F(ChecklistTest, ControlFlowThatHangsOnResultsIsAsInSerialExecution) {
  // What the host saw on its way, and what the arrays hold in the end.
  const auto run = [&](const std::vector<std::string>& devices, const Scheduling& policy, std::uint32_t seed) {
    log_.clear();
    start(devices, policy);
    std::vector<Array<float>> arrays;
    for (int i = 0; i < 4; ++i) arrays.push_back(floats({static_cast<float>(seed + i), static_cast<float>(i)}));
    std::size_t launches = 0;
    const auto next = [&] { return LaunchOptions{.device = devices[launches++ % devices.size()]}; };
    Wanderer wanderer(
        arrays, [&](float by, Array<float>& data) { launch("add_to", next(), 2, by, data); },
        [&](Array<float>& from, Array<float>& to) { launch("copy_first", next(), 2, from, to); }, seed);
    for (int i = 0; i < 4; ++i) wanderer.go(3);
    std::vector<int> result = wanderer.path();
    for (const Array<float>& array : arrays)
      for (const float value : array.read()) result.push_back(static_cast<int>(value));
    return result;
  };
  std::size_t longest = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const std::vector<int> serial = run({"near"}, {.execution = Scheduling::Execution::sync}, seed);
    longest = std::max(longest, serial.size());
    for (const std::vector<std::string>& devices :
         {std::vector<std::string>{"near"}, {"far"}, {"near", "far"}, {"far", "far 2"}})
      ASSERT_EQ(run(devices, {}, seed), serial) << "seed " << seed << " on " << devices.back();
    ASSERT_EQ(run({"far"}, {.prefetch = false}, seed), serial) << seed;
  }
  EXPECT_GT(longest, 50u);  // programs that do something
}

// Row H3: two views of one array. Halves have nothing to do with each other; what overlaps is in order.
TEST_F(ChecklistTest, ViewsThatOverlapAreInOrderAndHalvesAreNot) {
  start({"near"});
  Array<float> x = floats({1, 2, 3, 4});
  const Launch left = launch("add_to", {}, 2, 1.0f, x.slice(0, 2)), right = launch("add_to", {}, 2, 1.0f, x.slice(2));
  right.wait();
  EXPECT_FALSE(left.done());  // so right did not wait for it
  const Launch across = launch("add_to", {}, 2, 1.0f, x.slice(1, 2));
  across.wait();
  EXPECT_TRUE(left.done());
  EXPECT_THAT(x.read(), ElementsAre(2, 4, 5, 5));
}

}  // namespace
}  // namespace heddle::tests
