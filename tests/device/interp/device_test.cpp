// What the interpreter promises beyond single kernels: order and failures of queues, launches that wait for each other,
// residency of blocks, messages, printing.
#include "device/interp/interp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "device/stoppable_launch.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "support/short_patience.hpp"
#include "support/wait_until.hpp"

namespace heddle::device::interp {
namespace {

using testing::HasSubstr;

constexpr const char* source = R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "user.cu"
// waits until flag a is set, then sets flag b
.visible .entry relay(.param .u64 a, .param .u64 b)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
wait:
  ld.volatile.u32 %r1, [%rd1];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra wait;
  st.volatile.u32 [%rd2], 1;
  ret;
}
// block 0 waits for block 1
.visible .entry backwards(.param .u64 flag)
{
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra set;
wait:
  ld.volatile.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra wait;
  ret;
set:
  st.volatile.u32 [%rd1], 1;
  ret;
}
// Behind a barrier to which warp 1 comes last, each warp writes its number + 1 into the next four bits.
.visible .entry order(.param .u64 next, .param .u64 numbers)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [next];
  ld.param.u64 %rd2, [numbers];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  and.b32 %r3, %r1, 31;
  setp.ne.u32 %p1, %r2, 1;
  @%p1 bra there;
  mov.u32 %r4, 0;
late:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 1000;
  @%p2 bra late;
there:
  bar.sync 0;
  setp.ne.u32 %p3, %r3, 0;
  @%p3 bra end;
  atom.add.u32 %r5, [%rd1], 4;
  add.u32 %r6, %r2, 1;
  shl.b32 %r6, %r6, %r5;
  red.add.u32 [%rd2], %r6;
end:
  ret;
}
.visible .entry store(.param .u64 p, .param .u32 v)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [v];
  .loc 1 42 7
  st.u32 [%rd1], %r1;
  ret;
}
)";

class InterpDeviceTest : public testing::Test {
 protected:
  void make(InterpOptions options = {}) {
    options.deadlock_timeout = test::short_patience;
    device_ = make_interp_device(std::move(options));
    module_ = device_->load(std::make_shared<const ptx::Module>(ptx::parse(source, "test.ptx")), {});
    queue_ = device_->queue({});
    for (auto& memory : words_) memory = device_->allocate(4);
    for (auto& memory : words_) queue_->fill(memory->span(), 0, 4);
    queue_->synchronize();
  }
  void TearDown() override {
    queue_.reset();
    module_.reset();
    for (auto& memory : words_) memory.reset();
  }
  std::uint64_t address(unsigned i) const { return words_[i]->span().address; }
  std::uint32_t word(unsigned i) const {
    std::uint32_t value;
    std::memcpy(&value, words_[i]->host(), sizeof value);
    return value;
  }
  template <class... T>
  static std::vector<std::byte> pack(const Function& function, T... arguments) {
    std::vector<std::byte> packed(function.parameter_bytes());
    std::size_t i = 0;
    ((std::memcpy(packed.data() + function.parameters()[i].offset, &arguments, sizeof arguments), ++i), ...);
    return packed;
  }
  template <class... T>
  void launch(Queue& queue, const char* kernel, std::uint32_t blocks, T... arguments) {
    launch_threads(queue, kernel, blocks, 1, arguments...);
  }
  template <class... T>
  void launch_threads(Queue& queue, const char* kernel, std::uint32_t blocks, std::uint32_t threads, T... arguments) {
    Function& function = module_->function(kernel);
    const std::vector<std::byte> packed = pack(function, arguments...);
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {threads, 1, 1};
    queue.launch(function, config, {0, blocks}, packed);
  }

  std::unique_ptr<Device> device_;
  std::shared_ptr<Module> module_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Memory> words_[4];
};

TEST_F(InterpDeviceTest, LaunchesOfTwoQueuesProgressTogether) {
  make();
  const auto other = device_->queue({});
  launch(*queue_, "relay", 1, address(0), address(1));
  launch(*other, "relay", 1, address(1), address(2));
  launch(*device_->queue({}), "store", 1, address(0), 1u);
  queue_->synchronize();
  other->synchronize();
  EXPECT_EQ(word(2), 1u);
}

TEST_F(InterpDeviceTest, TwoLaunchesThatWaitForEachOtherAreADeadlock) {
  make();
  const auto other = device_->queue({});
  launch(*queue_, "relay", 1, address(0), address(1));
  launch(*other, "relay", 1, address(1), address(0));
  unsigned failures = 0;
  for (Queue* queue : {queue_.get(), other.get()}) {
    try {
      queue->synchronize();
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.code(), ErrorCode::deadlock);
    }
  }
  EXPECT_GE(failures, 1u);  // the end of one launch may have let the other one see a change; it is then stuck alone
}

TEST_F(InterpDeviceTest, LaterBlockIsNeverReachedWithOneResident) {
  InterpOptions options;
  options.max_resident_blocks = 1;
  make(options);
  launch(*queue_, "backwards", 2, address(0));
  try {
    queue_->synchronize();
    FAIL() << "block 0 cannot end while block 1 has not begun";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::deadlock);
    EXPECT_THAT(error.what(), HasSubstr("block (0, 0, 0)"));
    EXPECT_THAT(error.what(), HasSubstr("1 have not begun"));
  }
}

TEST_F(InterpDeviceTest, LaterBlockIsReachedWithTwoResident) {
  InterpOptions options;
  options.max_resident_blocks = 2;
  make(options);
  launch(*queue_, "backwards", 2, address(0));
  EXPECT_NO_THROW(queue_->synchronize());
}

TEST_F(InterpDeviceTest, WarpsGoOnInTheirOrderBehindABarrier) {
  make();
  launch_threads(*queue_, "order", 1, 128, address(0), address(1));
  queue_->synchronize();
  EXPECT_EQ(word(1), 0x4321u);
}

// The launch has found another block to begin and waits for its turn. Then no block is left.
TEST_F(InterpDeviceTest, ALaunchIsStoppedWhileItWaitsForItsTurn) {
  std::shared_ptr<StoppableLaunch> stoppable;
  std::atomic<pid_t> its_thread{0};
  std::atomic<bool> other_runs{false}, begins{false}, block_ran{false};
  InterpOptions options;
  options.block_turn = 1;
  options.step = [&](const Step& step) {
    if (step.function.name == "store") {
      block_ran = true;
      return;
    }
    // The other launch has the turn. It may not spin alone for long: that would be a deadlock.
    const auto it_waits = [&] { return begins && tests::is_blocked(its_thread); };
    const bool first = !other_runs.exchange(true);
    if (!first && !block_ran) return;
    EXPECT_TRUE(tests::wait_until(it_waits));
    if (first) return;
    stoppable->stop();
    *static_cast<volatile std::uint32_t*>(words_[0]->host()) = 1;  // ends the other launch
  };
  make(options);
  const auto queue = device_->queue({});
  Function& store = module_->function("store");
  queue->call([&] {
    its_thread = gettid();
    EXPECT_TRUE(tests::wait_until([&] { return other_runs.load(); }));
    begins = true;
  });
  // It may have several turns before the other launch asks for its next one.
  constexpr std::uint32_t blocks = 10'000;
  stoppable = queue->launch_stoppable(store, {.grid = {blocks}}, {0, blocks}, pack(store, address(2), 7u));
  launch(*queue_, "relay", 1, address(0), address(1));
  queue->synchronize();
  queue_->synchronize();
  EXPECT_EQ(word(2), 7u);
  EXPECT_GE(stoppable->rest().begin, 1u);
  EXPECT_EQ(stoppable->rest().end, blocks);
}

TEST_F(InterpDeviceTest, AFailureSkipsWhatFollowsUntilItIsSeen) {
  make();
  const auto before = device_->event(), after = device_->event();
  launch(*queue_, "store", 1, address(0), 7u);
  queue_->record(*before);
  launch(*queue_, "store", 1, std::uint64_t{16}, 7u);
  launch(*queue_, "store", 1, address(1), 7u);
  queue_->record(*after);
  EXPECT_NO_THROW(before->wait());
  EXPECT_THROW(after->wait(), Error);
  try {
    queue_->synchronize();
    FAIL() << "the wild store must be reported";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kernel_fault);
    EXPECT_THAT(error.what(), HasSubstr("'store'"));
    EXPECT_THAT(error.what(), HasSubstr("user.cu:42"));
    EXPECT_THAT(error.what(), HasSubstr("0x10"));
  }
  EXPECT_EQ(word(0), 7u);
  EXPECT_EQ(word(1), 0u);
  launch(*queue_, "store", 1, address(1), 8u);
  EXPECT_NO_THROW(queue_->synchronize());
  EXPECT_EQ(word(1), 8u);
}

TEST_F(InterpDeviceTest, WaitsForEventsOfOtherQueues) {
  make();
  const auto other = device_->queue({});
  const auto ready = device_->event();
  launch(*other, "relay", 1, address(3), address(2));
  launch(*other, "store", 1, address(0), 5u);
  other->record(*ready);
  queue_->wait(*ready);
  launch(*queue_, "store", 1, address(0), 6u);
  EXPECT_FALSE(ready->done());
  launch(*device_->queue({}), "store", 1, address(3), 1u);
  queue_->synchronize();
  EXPECT_TRUE(ready->done());
  EXPECT_EQ(word(0), 6u);
}

TEST_F(InterpDeviceTest, WrongLaunchesAreRefusedAtOnce) {
  make();
  Function& function = module_->function("store");
  const std::vector<std::byte> arguments(function.parameter_bytes());
  LaunchConfig config;
  config.block = {2048, 1, 1};
  EXPECT_THROW(queue_->launch(function, config, {0, 1}, arguments), Error);
  config.block = {0, 1, 1};
  EXPECT_THROW(queue_->launch(function, config, {0, 1}, arguments), Error);
  config.block = {1, 1, 1};
  EXPECT_THROW(queue_->launch(function, config, {0, 2}, arguments), Error);
  EXPECT_THROW(queue_->launch(function, config, {0, 1}, {}), Error);
  EXPECT_THROW(module_->function("nothing"), Error);
  EXPECT_THROW(module_->variable("nothing"), Error);
  EXPECT_THROW(device_->partition({{1}}), Error);
  EXPECT_THROW(device_->allocate(~std::size_t{0} / 2), Error);
}

}  // namespace
}  // namespace heddle::device::interp
