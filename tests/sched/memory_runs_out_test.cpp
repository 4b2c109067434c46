// Memory that runs out anywhere in managed mode: a call of the program throws, or a task fails. No task is forgotten,
// none comes before one that it depends on, and what was submitted comes to its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "heddle/error.hpp"
#include "sched/dispatcher.hpp"
#include "sched/fake_work.hpp"
#include "sched/make_policy.hpp"
#include "support/scarce_memory.hpp"
#include "tenancy/virtual_watcher.hpp"

namespace heddle::sched {
namespace {

constexpr std::uint64_t blocks_of_each = 12;

// What a device was given. It has room for all that a test gives it.
struct Given {
  struct Range {
    unsigned task;
    BlockRange blocks;
  };
  std::vector<Range> ranges;
  std::deque<std::shared_ptr<FakeEvent>> running;
  std::vector<unsigned> failed;
};

class RecordedWork final : public Work {
 public:
  RecordedWork(Given& given, unsigned number) : given_(given), number_(number) {}
  std::string_view name() const override { return "recorded"; }
  std::size_t place() const override { return 0; }
  BlockRange blocks() const override { return {0, blocks_of_each}; }
  bool divisible() override { return true; }
  bool in_order() const override { return true; }
  void submit(BlockRange range, bool, const device::Partition*, device::Event* end) override {
    if (end != nullptr) given_.running.push_back(next_);
    given_.ranges.push_back({number_, range});
  }
  void failed(const std::exception_ptr&) override { given_.failed.push_back(number_); }
  std::shared_ptr<device::Event> take_event() override { return next_ = std::make_shared<FakeEvent>(); }
  void give_event(std::shared_ptr<device::Event>) override {}

 private:
  Given& given_;
  const unsigned number_;
  std::shared_ptr<FakeEvent> next_;
};

// The tasks of one trial, and which must come after which.
class Trial {
 public:
  static constexpr unsigned most = 60;

  Trial(const char* policy, unsigned seed) : random_(seed) {
    given_.ranges.reserve(most * blocks_of_each);
    given_.failed.reserve(most);
    refused_.reserve(most);
    dispatcher_ = std::make_unique<Dispatcher>(
        make_policy(policy), std::vector<Dispatcher::Device>{{.processors = 4}},
        [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex_, watcher_);
    Tenant& tenant = dispatcher_->add_tenant({.name = "own", .quota = 1});
    for (auto& queue : queues_) queue = &dispatcher_->add_queue("queue", 0, &tenant);
  }

  // Tasks of streams that wait for each other. Returns whether all found memory.
  bool hold_after(long allocations, long failures) {
    std::vector<std::shared_ptr<HeldTask>> last(queues_.size());
    return with(allocations, failures, [&](unsigned task) {
      const std::size_t own = random_() % queues_.size(), other = random_() % queues_.size();
      const std::shared_ptr<HeldTask> parents[] = {last[own], last[other]};
      before_[task] = {number_of(last[own]), number_of(last[other])};
      auto work = std::make_unique<RecordedWork>(given_, task);
      const base::Lock lock(mutex_);
      last[own] = dispatcher_->hold_after(*queues_[own], std::move(work), parents);
      numbers_[last[own]->id] = task;
    });
  }

  // Tasks that use bytes of arrays.
  bool hold(long allocations, long failures) {
    std::vector<graph::ObjectId> arrays;
    for (int i = 0; i < 4; ++i) arrays.push_back(dispatcher_->dag().add_object(100));
    return with(allocations, failures, [&](unsigned task) {
      std::vector<graph::Access>& own = accesses_[task];
      for (unsigned i = 1 + random_() % 3; i > 0; --i) {
        const std::uint64_t begin = random_() % 100, end = random_() % 2 ? 100 : begin + 1 + random_() % (100 - begin);
        const auto mode = random_() % 2 ? graph::Mode::read : graph::Mode::read_write;
        own.push_back({arrays[random_() % arrays.size()], mode, random_() % 2 ? 0 : begin, end});
      }
      auto work = std::make_unique<RecordedWork>(given_, task);
      const base::Lock lock(mutex_);
      dispatcher_->hold(*queues_[random_() % queues_.size()], std::move(work), own);
    });
  }

  // Everything that was held ends, and in its order.
  void finish() {
    {
      const base::Lock lock(mutex_);
      dispatcher_->dispatch();
    }
    for (int idle = 0; dispatcher_->held() > 0 || !given_.running.empty(); ++idle) {
      ASSERT_LT(idle, 10'000) << dispatcher_->held() << " tasks stay held";
      if (given_.running.empty()) clock_->advance(100'000);
      watcher_->run();
      while (!given_.running.empty()) complete();
    }
    base::Lock lock(mutex_);
    dispatcher_->wait_until_all_done(lock);
    for (unsigned task = 0; task < most; ++task) check(task);
  }

 private:
  template <class F>
  bool with(long allocations, long failures, F&& hold) {
    const tests::ScarceMemory scarce(allocations, failures);
    for (unsigned task = 0; task < most; ++task) {
      try {
        hold(task);
      } catch (const std::bad_alloc&) {
        refused_.push_back(task);
      }
      if (random_() % 3 == 0 && !given_.running.empty()) complete();
    }
    return !scarce.ran_out();
  }
  void complete() {
    clock_->advance(1000);
    const auto first = given_.running.front();
    given_.running.pop_front();
    first->complete(clock_->now_ns());
  }
  unsigned number_of(const std::shared_ptr<HeldTask>& task) const { return task ? numbers_[task->id] : most; }
  bool has(const std::vector<unsigned>& all, unsigned task) const {
    return std::find(all.begin(), all.end(), task) != all.end();
  }
  bool depends(unsigned task, unsigned earlier) const {
    if (before_[task].first == earlier || before_[task].second == earlier) return true;
    for (const graph::Access& a : accesses_[task])
      for (const graph::Access& b : accesses_[earlier])
        if (a.object == b.object && a.begin < b.end && b.begin < a.end && (modifies(a.mode) || modifies(b.mode)))
          return true;
    return false;
  }
  void check(unsigned task) const {
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < given_.ranges.size(); ++i) {
      if (given_.ranges[i].task != task) continue;
      EXPECT_EQ(given_.ranges[i].blocks.begin, next) << task;
      next = given_.ranges[i].blocks.end;
      for (std::size_t later = i + 1; later < given_.ranges.size(); ++later) {
        const unsigned other = given_.ranges[later].task;
        EXPECT_FALSE(other < task && depends(task, other)) << task << " came before " << other;
      }
    }
    if (has(refused_, task) || !has(given_.failed, task)) {
      EXPECT_EQ(next, has(refused_, task) ? 0 : blocks_of_each) << task;
    }
  }

  std::minstd_rand random_;
  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::shared_ptr<tenancy::VirtualWatcher> watcher_ = std::make_shared<tenancy::VirtualWatcher>(clock_);
  base::Mutex mutex_;
  Given given_;
  std::array<LaunchQueue*, 3> queues_{};
  std::vector<unsigned> refused_;
  std::array<std::pair<unsigned, unsigned>, most> before_ = filled();
  std::array<std::vector<graph::Access>, most> accesses_;
  std::array<unsigned, most + 1> numbers_{};  // by the number of the held task
  std::unique_ptr<Dispatcher> dispatcher_;

  static std::array<std::pair<unsigned, unsigned>, most> filled() {
    std::array<std::pair<unsigned, unsigned>, most> none;
    none.fill({most, most});
    return none;
  }
};

class HeldMemoryRunsOut : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!tests::has_scarce_memory) GTEST_SKIP() << "sanitizers have their own malloc";
  }
  // From the first allocation on, until there are enough.
  template <class Hold>
  void every_place(long failures, const Hold& hold) {
    long allocations = 0;
    for (bool enough = false; !enough; ++allocations) {
      Trial trial(GetParam(), static_cast<unsigned>(allocations) + 1);
      enough = hold(trial, allocations, failures);
      trial.finish();
      if (HasFailure()) FAIL() << "with " << allocations << " allocations";
    }
    EXPECT_GT(allocations, 300);
  }
};

TEST_P(HeldMemoryRunsOut, StreamsGoOn) {
  for (const long failures : {1L, 5L, tests::ScarceMemory::all})
    every_place(failures, [](Trial& trial, long succeed, long fail) { return trial.hold_after(succeed, fail); });
}

TEST_P(HeldMemoryRunsOut, TasksOfArraysGoOn) {
  for (const long failures : {1L, 5L, tests::ScarceMemory::all})
    every_place(failures, [](Trial& trial, long succeed, long fail) { return trial.hold(succeed, fail); });
}

INSTANTIATE_TEST_SUITE_P(Policies, HeldMemoryRunsOut,
                         testing::Values("slice:4", "bounded:50", "lithos", "mps-like", "timeslice"));

}  // namespace
}  // namespace heddle::sched
