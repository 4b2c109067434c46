// Launches of direct shape, workers, partitions, priorities, trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "device/cpu/native.hpp"

namespace heddle::device::cpu::test {
namespace {

using testing::HasSubstr;

// Adds one to each element that belongs to a thread of the grid.
void count(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t end) {
  auto* counters = argument<std::atomic<std::uint32_t>>(launch, 0);
  for (std::uint64_t block = begin; block < end; ++block)
    for_each_thread(launch, warp, block,
                    [&](std::uint32_t t) { counters[block * block_threads(launch) + t].fetch_add(1); });
}

void empty(const LaunchContext*, WarpContext*, std::uint64_t, std::uint64_t) {}

// Notes which workers ran something.
void note_worker(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t end) {
  auto* seen = argument<std::atomic<std::uint32_t>>(launch, 0);
  for (std::uint64_t block = begin; block < end; ++block) {
    seen[warp->block->worker].fetch_add(1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
}

// Says that it runs, and waits until the flag is 2.
void wait_for_flag(const LaunchContext* launch, WarpContext*, std::uint64_t, std::uint64_t) {
  auto* flag = argument<std::atomic<std::uint32_t>>(launch, 0);
  flag->store(1);
  while (flag->load() != 2) std::this_thread::yield();
}

struct Turn {
  std::atomic<int>& next;
  int taken = 0;
};

void take_turn(const LaunchContext* launch, WarpContext*, std::uint64_t, std::uint64_t) {
  auto* turn = argument<Turn>(launch, 0);
  turn->taken = ++turn->next;
}

CpuOptions workers(unsigned n) {
  CpuOptions options;
  options.workers = n;
  options.pin = false;
  return options;
}

class Executor : public testing::TestWithParam<unsigned> {
 protected:
  NativeDevice native{{direct("count", &count), direct("empty", &empty, 0), direct("note_worker", &note_worker),
                       direct("wait_for_flag", &wait_for_flag)},
                      workers(GetParam())};
};

TEST_P(Executor, EveryThreadOfEveryBlockRunsOnce) {
  const auto queue = native.device.queue({});
  for (const auto& [blocks, threads] : {std::pair{1u, 1u}, {1u, 1024u}, {1000u, 33u}, {100'000u, 1u}}) {
    std::vector<std::atomic<std::uint32_t>> counters(std::size_t{blocks} * threads);
    native.launch(*queue, "count", {.grid = {blocks}, .block = {threads}}, counters.data());
    queue->synchronize();
    for (const auto& counter : counters) ASSERT_EQ(counter.load(), 1u);
  }
}

TEST_P(Executor, RangesRunTheirBlocksOnly) {
  const auto queue = native.device.queue({});
  std::vector<std::atomic<std::uint32_t>> counters(1000);
  const auto pointer = reinterpret_cast<std::uint64_t>(counters.data());
  const auto arguments = std::as_bytes(std::span(&pointer, 1));
  queue->launch(native.kernel("count"), {.grid = {100}, .block = {10}}, {17, 42}, arguments);
  queue->launch(native.kernel("count"), {.grid = {100}, .block = {10}}, {50, 50}, arguments);
  queue->synchronize();
  for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(counters[i].load(), i >= 170 && i < 420 ? 1u : 0u);
}

TEST_P(Executor, ManySmallLaunches) {
  const auto queue = native.device.queue({});
  std::vector<std::atomic<std::uint32_t>> counters(64);
  for (int i = 0; i < 5000; ++i) {
    native.launch(*queue, "count", {.grid = {2}, .block = {32}}, counters.data());
    if (i % 7 == 0) queue->synchronize();
  }
  queue->synchronize();
  for (const auto& counter : counters) EXPECT_EQ(counter.load(), 5000u);
}

TEST_P(Executor, ManyHostThreads) {
  constexpr int threads = 6;
  std::vector<std::vector<std::atomic<std::uint32_t>>> counters(threads);
  std::vector<std::thread> hosts;
  for (int h = 0; h < threads; ++h) {
    counters[h] = std::vector<std::atomic<std::uint32_t>>(640);
    hosts.emplace_back([&, h] {
      const auto queue = native.device.queue({});
      const auto event = native.device.event();
      for (int i = 0; i < 300; ++i) {
        native.launch(*queue, "count", {.grid = {20}, .block = {32}}, counters[h].data());
        if (i % 3 == 0) {
          queue->record(*event);
          event->wait();
          EXPECT_EQ(counters[h][5].load(), static_cast<std::uint32_t>(i + 1));
        }
      }
      queue->synchronize();
    });
  }
  for (std::thread& host : hosts) host.join();
  for (const auto& of_host : counters)
    for (const auto& counter : of_host) ASSERT_EQ(counter.load(), 300u);
}

INSTANTIATE_TEST_SUITE_P(Workers, Executor, testing::Values(1, 2, 5));

TEST(ExecutorPartition, OnlyItsWorkersRun) {
  NativeDevice native({direct("note_worker", &note_worker)}, workers(4));
  const auto partition = native.device.partition({{1, 3}});
  const auto inside = native.device.queue({.partition = partition.get()});
  const auto outside = native.device.queue({});
  std::atomic<std::uint32_t> seen[4]{}, other[4]{};
  native.launch(*inside, "note_worker", {.grid = {40}}, seen);
  native.launch(*outside, "note_worker", {.grid = {40}}, other);
  inside->synchronize();
  outside->synchronize();
  EXPECT_EQ(seen[0].load() + seen[2].load(), 0u);
  EXPECT_EQ(seen[1].load() + seen[3].load(), 40u);
  EXPECT_EQ(other[0].load() + other[1].load() + other[2].load() + other[3].load(), 40u);
}

TEST(ExecutorPartition, RefusesWhatIsNoPartition) {
  NativeDevice native({}, workers(2));
  EXPECT_THROW(native.device.partition({}), Error);
  EXPECT_THROW(native.device.partition({{1, 0}}), Error);
  EXPECT_THROW(native.device.partition({{0, 0}}), Error);
  EXPECT_THROW(native.device.partition({{2}}), Error);
}

TEST(ExecutorPriority, UrgentWorkComesFirst) {
  NativeDevice native({direct("wait_for_flag", &wait_for_flag), direct("take_turn", &take_turn)}, workers(1));
  const auto blocker = native.device.queue({}), low = native.device.queue({.priority = 0}),
             high = native.device.queue({.priority = 5});
  std::atomic<std::uint32_t> flag{0};
  std::atomic<int> turns{0};
  Turn of_low{turns}, of_high{turns};
  native.launch(*blocker, "wait_for_flag", {}, &flag);
  while (flag.load() != 1) std::this_thread::yield();
  native.launch(*low, "take_turn", {}, &of_low);
  native.launch(*high, "take_turn", {}, &of_high);
  flag.store(2);
  low->synchronize();
  high->synchronize();
  // The only worker was busy when both came.
  EXPECT_EQ(of_high.taken, 1);
  EXPECT_EQ(of_low.taken, 2);
}

class Recorder final : public base::TraceSink {
 public:
  void event(const base::TraceEvent& event) noexcept override {
    const std::lock_guard guard(mutex_);
    events.push_back(event);
    names.emplace_back(event.name);
  }
  std::vector<base::TraceEvent> events;
  std::vector<std::string> names;

 private:
  std::mutex mutex_;
};

TEST(ExecutorTrace, StartAndEndOfEveryCommand) {
  Recorder recorder;
  CpuOptions options = workers(2);
  options.trace = &recorder;
  std::vector<std::atomic<std::uint32_t>> counters(64);
  std::vector<char> a(100), b(100);
  {
    NativeDevice native({direct("count", &count)}, options);
    const auto queue = native.device.queue({});
    native.launch(*queue, "count", {.grid = {2}, .block = {32}}, counters.data());
    queue->copy(Span::host(a.data(), 100), Span::host(b.data(), 100));
    queue->fill(Span::host(a.data(), 100), 0, 1);
    queue->call([] {});
    queue->synchronize();
  }
  using Kind = base::TraceEvent::Kind;
  using Phase = base::TraceEvent::Phase;
  ASSERT_EQ(recorder.events.size(), 8u);
  const Kind kinds[] = {Kind::launch, Kind::copy, Kind::fill, Kind::call};
  for (unsigned i = 0; i < 4; ++i) {
    const auto& start = recorder.events[2 * i];
    const auto& end = recorder.events[2 * i + 1];
    EXPECT_EQ(start.kind, kinds[i]);
    EXPECT_EQ(start.phase, Phase::start);
    EXPECT_EQ(end.phase, Phase::end);
    EXPECT_EQ(start.command, end.command);
    EXPECT_LE(start.time_ns, end.time_ns);
    EXPECT_FALSE(end.failed);
  }
  EXPECT_EQ(recorder.names[0], "count");
  EXPECT_EQ(recorder.events[0].blocks, (BlockRange{0, 2}));
  EXPECT_EQ(recorder.events[2].bytes, 100u);
}

TEST(ExecutorOptions, WorkersFromTheEnvironment) {
  ::setenv("HEDDLE_CPU_WORKERS", "3", 1);
  {
    NativeDevice native({}, {});
    EXPECT_EQ(native.device.info().processors, 3u);
  }
  ::setenv("HEDDLE_CPU_WORKERS", "many", 1);
  EXPECT_THAT(error_of(ErrorCode::invalid_argument, [] { NativeDevice native({}, {}); }),
              HasSubstr("HEDDLE_CPU_WORKERS=many"));
  ::unsetenv("HEDDLE_CPU_WORKERS");
}

TEST(ExecutorInfo, DescribesTheHost) {
  NativeDevice native({}, workers(2));
  const DeviceInfo& info = native.device.info();
  EXPECT_EQ(info.id, "cpu");
  EXPECT_THAT(info.name, HasSubstr("2 workers"));
  EXPECT_GE(info.memory_bytes, 1u << 28);
  EXPECT_GE(info.vector_bits, 128u);
  const double bandwidth = native.device.measured_bandwidth();
  EXPECT_GT(bandwidth, 1e8);
  EXPECT_EQ(native.device.measured_bandwidth(), bandwidth);
}

}  // namespace
}  // namespace heddle::device::cpu::test
