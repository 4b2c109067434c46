// Launches that can be stopped between their blocks.
#include <algorithm>
#include <atomic>
#include <thread>

#include "conformance/conformance.hpp"
#include "ptx/parser.hpp"
#include "support/wait_until.hpp"

namespace heddle::conformance {
namespace {

using device::StoppableLaunch;
using testing::HasSubstr;

// Each block counts itself at its linear number, with a barrier between two halves of its work, which takes `turns`.
constexpr const char* tally_text = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry tally(.param .u64 out, .param .u32 turns) {
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<4>;
  .shared .align 4 .u32 partial;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra begin;
  st.shared.u32 [partial], 1;
begin:
  mov.u32 %r3, 0;
  mov.u32 %r9, %r2;
again:
  mad.lo.u32 %r9, %r9, 1664525, 1013904223;  // so that no compiler knows the end of the loop beforehand
  xor.b32 %r9, %r9, %r3;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, %r1;
  @%p2 bra again;
  setp.eq.u32 %p3, %r9, 12345;
  @%p3 st.shared.u32 [partial], 1;
  bar.sync 0;
  @%p1 bra done;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ctaid.y;
  mov.u32 %r6, %nctaid.x;
  mad.lo.u32 %r7, %r5, %r6, %r4;
  mad.wide.u32 %rd2, %r7, 4, %rd1;
  ld.shared.u32 %r8, [partial];
  red.global.add.u32 [%rd2], %r8;
done:
  ret;
}
)ptx";

class Tallies {
 public:
  Tallies(Device& device, Queue& queue, std::size_t blocks)
      : queue_(queue),
        blocks_(blocks),
        module_(device.load(std::make_shared<ptx::Module>(ptx::parse(tally_text, "tally.ptx")), {.stoppable = true})),
        out_(device, blocks) {
    out_.fill(queue);
    queue.synchronize();
  }
  std::shared_ptr<StoppableLaunch> launch(const LaunchConfig& config, BlockRange range, std::uint32_t turns,
                                          unsigned residents = 0) {
    struct {
      std::uint64_t out;
      std::uint32_t turns;
    } arguments{out_.address(), turns};
    const auto bytes = std::as_bytes(std::span(&arguments, 1)).first(12);
    return queue_.launch_stoppable(module_->function("tally"), config, range, bytes, residents);
  }
  // Each block of the ranges once, no other.
  void expect_ran(std::initializer_list<BlockRange> ranges) {
    std::vector<std::uint32_t> expected(blocks_, 0);
    for (const BlockRange& range : ranges)
      for (std::uint64_t i = range.begin; i < range.end; ++i) ++expected[i];
    EXPECT_EQ(read(), expected);
  }
  std::vector<std::uint32_t> read() const { return out_.read(queue_); }

 private:
  Queue& queue_;
  std::size_t blocks_;
  std::shared_ptr<device::Module> module_;
  Buffer<std::uint32_t> out_;
};

TEST_P(Conformance, StoppableLaunchesThatNobodyStops) {
  const LaunchConfig config{.grid = {37, 11}, .block = {64}};
  Tallies tallies(*device, *queue, 37 * 11);
  const auto whole = tallies.launch(config, {0, 37 * 11}, 10);
  queue->synchronize();
  EXPECT_TRUE(whole->rest().empty());
  tallies.expect_ran({{0, 37 * 11}});
  whole->stop();  // too late
  EXPECT_TRUE(whole->rest().empty());
  const auto part = tallies.launch(config, {100, 271}, 10, 3);
  const auto none = tallies.launch(config, {5, 5}, 10);
  queue->synchronize();
  EXPECT_TRUE(part->rest().empty());
  EXPECT_TRUE(none->rest().empty());
  tallies.expect_ran({{0, 37 * 11}, {100, 271}});
}

TEST_P(Conformance, LaunchesAreStoppedBeforeTheyBegin) {
  Tallies tallies(*device, *queue, 50);
  std::atomic<bool> go{false};
  queue->call([&] {
    while (!go) std::this_thread::yield();
  });
  const auto launch = tallies.launch({.grid = {50}, .block = {32}}, {10, 50}, 10);
  launch->stop();
  launch->stop();
  if (!device->info().survives_faults)
    Buffer<std::uint32_t>(*device, 1).fill(*device->queue({}));  // it arrives before that
  go = true;
  queue->synchronize();
  const BlockRange rest = launch->rest();
  EXPECT_EQ(rest.begin, 10u);
  EXPECT_EQ(rest.end, 50u);
  tallies.expect_ran({});
}

// Stopped at some time, taken up again, and again.
TEST_P(Conformance, RestsOfStoppedLaunchesMakeTheWhole) {
  constexpr std::size_t blocks = 2000;
  constexpr unsigned residents = 50;  // a GPU has room for all of them at once
  const LaunchConfig config{.grid = {blocks}, .block = {32}};
  const std::uint64_t pause = device->info().simulated ? 4'000 : 2'000'000;
  Tallies tallies(*device, *queue, blocks);
  const auto ran_through = [](std::uint64_t end, std::uint32_t runs) {
    std::vector<std::uint32_t> expected(blocks, runs);
    std::fill_n(expected.begin(), end, runs + 1);
    return expected;
  };
  // Ever more turns, until launches last long enough to be stopped several times, whatever the device.
  std::uint32_t turns = 20, runs = 0;
  for (unsigned stops = 0; stops < 3; turns *= 4, ++runs) {
    ASSERT_LT(turns, 1u << 28) << "no launch was under way when it was stopped, or the device finds the end of a loop "
                                  "without running it";
    stops = 0;
    BlockRange range{0, blocks};
    while (!range.empty()) {
      const auto launch = tallies.launch(config, range, turns, residents);
      let_pass(*device, pause + stops * pause / 2);
      launch->stop();
      const auto end = device->event();
      queue->record(*end);
      end->wait();
      const BlockRange rest = launch->rest();
      ASSERT_GE(rest.begin, range.begin);
      ASSERT_EQ(rest.end, range.end);
      if (!rest.empty()) ++stops;
      ASSERT_EQ(tallies.read(), ran_through(rest.begin, runs));
      range = rest;
    }
  }
}

TEST_P(Conformance, StoppableLaunchesMayBeDropped) {
  Tallies tallies(*device, *queue, 300);
  for (int i = 0; i < 200; ++i) {
    auto launch = tallies.launch({.grid = {300}, .block = {32}}, {0, 300}, 1);
    if (i % 2 == 0) launch.reset();
  }
  queue->synchronize();
  EXPECT_EQ(tallies.read(), std::vector<std::uint32_t>(300, 200));
}

TEST_P(Conformance, StoppableLaunchesBehindAFailure) {
  if (!device->info().survives_faults) GTEST_SKIP() << "a fault loses this device";
  Tallies tallies(*device, *queue, 50);
  const Buffer<std::uint32_t> good(*device, 1);
  launch(*queue, "trap_block", {.grid = {1}, .block = {1}}, good.address(), 0u);
  const auto skipped = tallies.launch({.grid = {50}, .block = {32}}, {0, 50}, 10);
  expect_error(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
  EXPECT_EQ(skipped->rest().begin, 0u);
  tallies.expect_ran({});
}

TEST_P(Conformance, LaunchesThatCannotBeStopped) {
  Tallies tallies(*device, *queue, 50);
  EXPECT_THAT(expect_error(ErrorCode::unsupported,
                           [&] { tallies.launch({.grid = {5}, .block = {32}, .cooperative = true}, {0, 5}, 1); }),
              HasSubstr("cooperative"));
  expect_error(ErrorCode::invalid_argument, [&] { tallies.launch({.grid = {5}, .block = {32}}, {0, 6}, 1); });
  expect_error(ErrorCode::invalid_argument, [&] { tallies.launch({.grid = {5}, .block = {2048}}, {0, 5}, 1); });
}

}  // namespace
}  // namespace heddle::conformance
