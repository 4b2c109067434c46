// Order, events, failures; what the conformance suite cannot see from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <numeric>

#include "base/clock.hpp"
#include "device/cpu/native.hpp"
#include "support/flag_event.hpp"
#include "support/wait_until.hpp"

namespace heddle::device::cpu::test {
namespace {

using testing::HasSubstr;

void count(const LaunchContext* launch, WarpContext*, std::uint64_t begin, std::uint64_t end) {
  argument<std::atomic<std::uint32_t>>(launch, 0)->fetch_add(static_cast<std::uint32_t>(end - begin));
}
void trap(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t) {
  for_each_thread(launch, warp, begin, [](std::uint32_t) {});
  launch->runtime->trap(warp, 0);
}

class Queues : public testing::TestWithParam<unsigned> {
 protected:
  static CpuOptions options() {
    CpuOptions options;
    options.workers = GetParam();
    options.pin = false;
    return options;
  }
  NativeDevice native{{direct("count", &count), direct("trap", &trap, 0)}, options()};
};

TEST_P(Queues, LargeCopiesAndFills) {
  const std::size_t bytes = (40 << 20) + 12;
  const auto a = native.device.allocate(bytes), b = native.device.allocate(bytes);
  const auto queue = native.device.queue({});
  queue->fill(a->span(), 0x01020304, 4);
  queue->copy(b->span().sub(8, bytes - 8), a->span().sub(0, bytes - 8));
  queue->fill(b->span().sub(0, 8), 0x0506, 2);
  queue->synchronize();
  const auto* words = static_cast<const std::uint32_t*>(b->host());
  EXPECT_EQ(words[0], 0x05060506u);
  EXPECT_EQ(words[1], 0x05060506u);
  for (std::size_t i = 2; i < bytes / 4; ++i) ASSERT_EQ(words[i], 0x01020304u);
}

TEST_P(Queues, OverlappingCopies) {
  std::vector<std::uint8_t> data(1 << 20);
  std::iota(data.begin(), data.end(), 0);
  const auto queue = native.device.queue({});
  queue->copy(Span::host(data.data() + 100, data.size() - 100), Span::host(data.data(), data.size() - 100));
  queue->synchronize();
  for (std::size_t i = 100; i < data.size(); ++i) ASSERT_EQ(data[i], static_cast<std::uint8_t>(i - 100));
}

TEST_P(Queues, PingPongBetweenQueues) {
  const auto a = native.device.queue({}), b = native.device.queue({});
  std::vector<std::unique_ptr<Event>> events;
  std::vector<int> order;
  for (int i = 0; i < 400; ++i) {
    Queue& here = i % 2 == 0 ? *a : *b;
    if (i > 0) here.wait(*events.back());
    here.call([&order, i] { order.push_back(i); });
    events.push_back(native.device.event());
    here.record(*events.back());
  }
  b->synchronize();
  a->synchronize();
  ASSERT_EQ(order.size(), 400u);
  for (int i = 0; i < 400; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_P(Queues, HostFunctionsMayWaitForOtherQueues) {
  const auto a = native.device.queue({}), b = native.device.queue({});
  std::atomic<std::uint32_t> ran{0};
  a->call([&] {
    native.launch(*b, "count", {.grid = {100}}, &ran);
    b->synchronize();
  });
  a->synchronize();
  EXPECT_EQ(ran.load(), 100u);
}

TEST_P(Queues, EventsOutliveQueuesAndQueuesOutliveEvents) {
  const auto event = native.device.event();
  EXPECT_TRUE(event->done());
  EXPECT_NO_THROW(event->wait());
  {
    std::latch ends(1);
    const auto queue = native.device.queue({});
    queue->call([&] {
      ends.wait();
      tests::let_pass(base::SteadyClock(), 2'000'000);  // the queue ends before that
    });
    queue->record(*event);
    ends.count_down();
  }
  EXPECT_TRUE(event->done());
  const auto queue = native.device.queue({}), other = native.device.queue({});
  std::atomic<bool> ran{false};
  std::latch event_has_ended(1);
  {
    const auto short_lived = native.device.event();
    queue->call([&] { event_has_ended.wait(); });
    queue->record(*short_lived);
    other->wait(*short_lived);
  }
  event_has_ended.count_down();
  other->call([&] { ran = true; });
  other->synchronize();
  EXPECT_TRUE(ran.load());
}

TEST_P(Queues, WaitForEventsOfOtherDevices) {
  tests::FlagEvent event;
  const auto point = event.record();
  const auto queue = native.device.queue({});
  std::atomic<std::uint32_t> ran{0};
  queue->wait(event);
  native.launch(*queue, "count", {.grid = {3}}, &ran);
  const auto other = native.device.queue({});
  other->call([] {});
  other->synchronize();  // what could run has had its turn
  EXPECT_EQ(ran.load(), 0u);
  point->reached = true;
  queue->synchronize();
  EXPECT_EQ(ran.load(), 3u);
  EXPECT_THROW(queue->record(event), Error);
}

TEST_P(Queues, FailureSkipsWhatFollowsUntilItIsThrown) {
  const auto queue = native.device.queue({});
  const auto before = native.device.event(), after = native.device.event();
  std::atomic<std::uint32_t> ran{0};
  std::atomic<bool> called{false};
  queue->record(*before);
  native.launch(*queue, "trap", {});
  queue->record(*after);
  native.launch(*queue, "count", {.grid = {3}}, &ran);
  queue->call([&] { called = true; });
  EXPECT_NO_THROW(before->wait());
  EXPECT_THAT(error_of(ErrorCode::kernel_fault, [&] { after->wait(); }), HasSubstr("trap"));
  EXPECT_TRUE(after->done());
  EXPECT_THAT(error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); }), HasSubstr("trap"));
  EXPECT_EQ(ran.load(), 0u);
  EXPECT_FALSE(called.load());
  native.launch(*queue, "count", {.grid = {3}}, &ran);
  EXPECT_NO_THROW(queue->synchronize());
  EXPECT_EQ(ran.load(), 3u);
}

TEST_P(Queues, HostFunctionsThatThrowFailTheQueue) {
  const auto queue = native.device.queue({});
  queue->call([] { throw std::runtime_error("oops"); });
  EXPECT_THAT(error_of(ErrorCode::invalid_argument, [&] { queue->synchronize(); }), HasSubstr("oops"));
}

TEST_P(Queues, BadSpansAreRefusedAtOnce) {
  const auto memory = native.device.allocate(1000);
  const auto queue = native.device.queue({});
  std::vector<std::byte> host(2000);
  const auto refused = [&](auto&& f) { return error_of(ErrorCode::invalid_argument, f); };
  EXPECT_THAT(refused([&] { queue->copy(memory->span(), Span::host(host.data(), 1001)); }), HasSubstr("does not fit"));
  Span beyond = memory->span();
  beyond.size = 1001;
  EXPECT_THAT(refused([&] { queue->copy(beyond, Span::host(host.data(), 1001)); }),
              HasSubstr("not within one allocation"));
  EXPECT_THAT(refused([&] { queue->fill(memory->span().sub(999, 4), 0, 4); }), HasSubstr("not within"));
  EXPECT_THAT(refused([&] { queue->fill(memory->span().sub(0, 10), 0, 4); }), HasSubstr("cannot be filled"));
  EXPECT_THAT(refused([&] { queue->fill(memory->span(), 0, 3); }), HasSubstr("1, 2 or 4"));
  EXPECT_THAT(refused([&] { queue->copy({}, Span::host(host.data(), 1)); }), HasSubstr("does not fit"));
  EXPECT_NO_THROW(queue->copy(memory->span(), Span::host(host.data(), 0)));
}

INSTANTIATE_TEST_SUITE_P(Workers, Queues, testing::Values(1, 2, 4));

}  // namespace
}  // namespace heddle::device::cpu::test
