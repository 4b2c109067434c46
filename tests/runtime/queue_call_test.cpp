// Functions of the host and conditions in queues under policies: what runs behind them holds up no other queue.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstring>
#include <future>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"
#include "support/wait_until.hpp"

namespace heddle {
namespace {

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
// x[0] = 10 * x[0] + digit
.visible .entry append(.param .u64 p_x, .param .u32 p_digit) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u32 %r1, [p_digit];
  ld.global.u32 %r2, [%rd1];
  mad.lo.u32 %r3, %r2, 10, %r1;
  st.global.u32 [%rd1], %r3;
  ret;
}
)";

class QueueCalls : public testing::TestWithParam<const char*> {
 protected:
  struct Lane {
    Queue queue;
    Memory memory;
    std::uint32_t seen = 0;
  };
  Lane lane() {
    Lane made{device_.queue(), device_.allocate(4)};
    made.queue.fill(made.memory.span(), 0, 4);
    return made;
  }
  void append(const Lane& lane, std::uint32_t digit) {
    std::vector<std::byte> arguments(append_.parameter_bytes());
    const std::uint64_t address = lane.memory.address();
    std::memcpy(arguments.data() + append_.parameters()[0].offset, &address, sizeof address);
    std::memcpy(arguments.data() + append_.parameters()[1].offset, &digit, sizeof digit);
    lane.queue.launch(append_, {.grid = {1}, .block = {1}}, arguments);
  }
  static std::uint32_t read(Lane& lane) {
    lane.queue.copy(MemorySpan::of_host(&lane.seen, 4), lane.memory.span());
    lane.queue.synchronize();
    return lane.seen;
  }

  Runtime runtime_{{.devices = "cpu", .policy = GetParam()}};
  Device device_ = runtime_.device(0);
  Module module_ = runtime_.load_ptx(source, "source.ptx");
  LoadedKernel append_ = device_.load(module_.kernel("append"));
};

// The function returns when the other queue has run, or at the end of the test, so that a failure does not hang.
TEST_P(QueueCalls, OtherQueuesRunWhileAFunctionDoes) {
  Lane first = lane(), second = lane();
  std::promise<void> go;
  append(first, 1);
  first.queue.call([done = go.get_future().share()] { done.wait(); });
  append(first, 2);
  append(first, 3);
  const Event behind = device_.event();
  first.queue.record(behind);
  auto other = std::async(std::launch::async, [&] {
    for (std::uint32_t digit = 1; digit <= 5; ++digit) append(second, digit);
    return read(second);
  });
  EXPECT_TRUE(tests::wait_until([&] { return other.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }))
      << "what is behind the function holds up the other queue";
  EXPECT_FALSE(behind.done());
  go.set_value();
  EXPECT_EQ(other.get(), 12345u);
  EXPECT_EQ(read(first), 123u);
  EXPECT_TRUE(behind.done());
}

// As a stream that waits for a value in memory which a kernel of another stream brings about.
TEST_P(QueueCalls, ConditionsMayDependOnOtherQueues) {
  Lane first = lane(), second = lane();
  std::atomic<bool> reached = false, given_up = false;
  append(first, 1);
  first.queue.wait_until([&] { return reached || given_up; });
  append(first, 2);
  auto other = std::async(std::launch::async, [&] {
    append(second, 7);
    second.queue.call([&] { reached = true; });
    append(second, 8);
    return read(second);
  });
  EXPECT_TRUE(tests::wait_until([&] { return other.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
  given_up = true;
  EXPECT_EQ(other.get(), 78u);
  EXPECT_TRUE(reached);
  EXPECT_EQ(read(first), 12u);
}

TEST_P(QueueCalls, TheOrderOfAQueueStays) {
  Lane only = lane();
  std::vector<std::uint32_t> seen;
  for (std::uint32_t digit = 1; digit <= 9; ++digit) {
    append(only, digit);
    only.queue.copy(MemorySpan::of_host(&only.seen, 4), only.memory.span());
    only.queue.call([&] { seen.push_back(only.seen); });
  }
  EXPECT_EQ(read(only), 123456789u);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 12, 123, 1234, 12345, 123456, 1234567, 12345678, 123456789}));
}

// As streams that a program makes for each request. Ends of launches are found after the queue is gone.
TEST_P(QueueCalls, QueuesComeAndGo) {
  for (std::uint32_t request = 0; request < 100; ++request) {
    Lane made = lane();
    std::uint32_t expected = 0;
    for (std::uint32_t digit = 0; digit < 20; ++digit) {
      append(made, digit);
      expected = 10 * expected + digit;
    }
    ASSERT_EQ(read(made), expected);
  }
}

// Some 16,000 commands are pending at most. Other queues go on meanwhile.
TEST_P(QueueCalls, AThreadThatIsFarAheadWaits) {
  constexpr std::uint32_t launches = 60'000;
  Lane first = lane(), second = lane();
  std::promise<void> go;
  std::atomic<pid_t> thread{0};
  std::atomic<std::uint32_t> made{0};
  first.queue.call([done = go.get_future().share()] { done.wait(); });
  auto ahead = std::async(std::launch::async, [&] {
    thread = ::gettid();
    for (; made < launches; ++made) append(first, 0);
  });
  EXPECT_TRUE(tests::wait_until([&] { return thread != 0 && made > 1'000 && tests::is_blocked(thread); }));
  append(second, 7);
  EXPECT_EQ(read(second), 7u);
  EXPECT_LT(made, 20'000u);
  go.set_value();
  ahead.get();
  append(first, 5);
  EXPECT_EQ(read(first), 5u);
}

INSTANTIATE_TEST_SUITE_P(Policies, QueueCalls,
                         testing::Values("direct", "serial", "bounded:100", "slice:1", "orion", "timeslice:100",
                                         "lithos", "reef", "kernelet", "tgs:100"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(ArrayLaunches, AThreadThatIsFarAheadWaits) {
  constexpr std::uint32_t launches = 60'000;
  Runtime runtime({.devices = "cpu"});
  const Kernel kernel = runtime.load_ptx(source, "source.ptx").kernel("append");
  auto first = runtime.array<std::uint32_t>(1), second = runtime.array<std::uint32_t>(1);
  std::promise<void> go;
  std::atomic<pid_t> thread{0};
  std::atomic<std::uint32_t> made{0};
  const auto append = [&](auto& array, std::uint32_t digit) {
    runtime.launch(kernel, {.grid = {1}, .block = {1}}, array, digit);
  };
  runtime.call({}, [done = go.get_future().share()](const Call&) { done.wait(); }, first);
  auto ahead = std::async(std::launch::async, [&] {
    thread = ::gettid();
    for (; made < launches; ++made) append(first, 0);
  });
  EXPECT_TRUE(tests::wait_until([&] { return thread != 0 && made > 1'000 && tests::is_blocked(thread); }));
  append(second, 7);
  EXPECT_EQ(second.read()[0], 7u);
  EXPECT_LT(made, 20'000u);
  go.set_value();
  ahead.get();
  append(first, 5);
  EXPECT_EQ(first.read()[0], 5u);
}

}  // namespace
}  // namespace heddle
