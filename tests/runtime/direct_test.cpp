// The explicit level, on the devices that every machine has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <latch>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What could run has had its turn when a new queue's work has.
void let_others_run(const Device& device) {
  const Queue queue = device.queue();
  queue.call([] {});
  queue.synchronize();
}

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
// x[i] = x[i] * factor + ctaid
.visible .entry scale(.param .u64 p_x, .param .u32 p_n) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u32 %r1, [p_n];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  ld.global.u32 %r7, [factor];
  mad.lo.u32 %r8, %r6, %r7, %r2;
  st.global.u32 [%rd4], %r8;
done:
  ret;
}
.visible .entry fails() { trap; }
)";

struct Setting {
  const char* device;
  const char* policy;  // RuntimeOptions::policy
};

class Direct : public testing::TestWithParam<Setting> {
 protected:
  Runtime runtime{{.devices = GetParam().device, .policy = GetParam().policy}};
  Device device = runtime.device(0);
  Module module = runtime.load_ptx(source, "source.ptx");
  LoadedKernel scale = device.load(module.kernel("scale"));
  Queue queue = device.queue();

  static std::vector<std::byte> pack(const LoadedKernel& kernel, std::uint64_t x, std::uint32_t n) {
    std::vector<std::byte> bytes(kernel.parameter_bytes());
    std::memcpy(bytes.data() + kernel.parameters()[0].offset, &x, sizeof x);
    std::memcpy(bytes.data() + kernel.parameters()[1].offset, &n, sizeof n);
    return bytes;
  }
  static std::vector<std::uint32_t> counted(std::uint32_t n) {
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0u);
    return values;
  }
  static std::vector<std::uint32_t> scaled(std::uint32_t n, std::uint32_t block) {
    std::vector<std::uint32_t> values(n);
    for (std::uint32_t i = 0; i < n; ++i) values[i] = 3 * i + i / block;
    return values;
  }
  std::vector<std::uint32_t> run(const Queue& on, const LoadedKernel& kernel, std::uint32_t n) {
    const std::vector<std::uint32_t> before = counted(n);
    std::vector<std::uint32_t> after(n);
    const Memory x = device.allocate(n * 4);
    on.copy(x.span(), MemorySpan::of_host(before.data(), n * 4));
    on.launch(kernel, {.grid = {(n + 63) / 64}, .block = {64}}, pack(kernel, x.address(), n));
    on.copy(MemorySpan::of_host(after.data(), n * 4), x.span());
    on.synchronize();
    return after;
  }
};

TEST_P(Direct, LaunchesAndCopies) {
  EXPECT_EQ(device.info().id, GetParam().device);
  EXPECT_EQ(queue.device(), 0);
  EXPECT_EQ(scale.kernel().name(), "scale");
  EXPECT_EQ(scale.parameters().size(), 2u);
  scale.prepare({64});
  EXPECT_EQ(run(queue, scale, 1000), scaled(1000, 64));
}

// More queues than there are workers wait for the host, and others run beside them.
TEST_P(Direct, QueuesWaitForWhatTheHostSays) {
  std::atomic<bool> ready = false;
  std::atomic<int> asked = 0, passed = 0;
  std::vector<Queue> waiting;
  for (int i = 0; i < 20; ++i) {
    const Queue& last = waiting.emplace_back(device.queue());
    last.wait_until([&] {
      ++asked;
      return ready.load();
    });
    last.call([&] { ++passed; });
  }
  EXPECT_EQ(run(queue, scale, 100), scaled(100, 64));
  EXPECT_EQ(passed, 0);
  ready = true;
  for (const Queue& each : waiting) each.synchronize();
  EXPECT_EQ(passed, 20);
  EXPECT_GE(asked, 20);
}

TEST_P(Direct, SlicesChangeNothing) {
  Runtime sliced({.devices = GetParam().device, .slice = 3});
  device = sliced.device();
  const LoadedKernel kernel = device.load(sliced.load_ptx(source).kernel("scale"));
  EXPECT_EQ(run(device.queue(), kernel, 2000), scaled(2000, 64));
}

TEST_P(Direct, RangesAreParts) {
  const std::uint32_t n = 640;
  const Memory x = device.allocate(n * 4);
  const auto before = counted(n);
  queue.copy(x.span(), MemorySpan::of_host(before.data(), n * 4));
  queue.launch(scale, {.grid = {10}, .block = {64}}, pack(scale, x.address(), n), {3, 5});
  std::vector<std::uint32_t> after(n);
  queue.copy(MemorySpan::of_host(after.data(), n * 4), x.span());
  queue.synchronize();
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(after[i], i / 64 == 3 || i / 64 == 4 ? 3 * i + i / 64 : i);
}

TEST_P(Direct, VariablesFillsAndBoxes) {
  const MemorySpan factor = device.variable(module, "factor");
  EXPECT_EQ(factor.size, 4u);
  EXPECT_EQ(factor.device, 0);
  queue.fill(factor, 5, 4);
  std::uint32_t value = 0;
  queue.copy(MemorySpan::of_host(&value, 4), factor);
  queue.synchronize();
  EXPECT_EQ(value, 5u);
  const Memory x = device.allocate(100);
  queue.fill(x.span(), 1, 1);
  queue.fill(MemoryBox{0, x.address() + 11, 10, 0}, {8, 5, 1}, 2, 1);
  std::vector<std::uint8_t> inner(8 * 5), all(100);
  queue.copy(MemoryBox{MemorySpan::host, MemorySpan::of_host(inner.data(), 1).address, 8, 0},
             MemoryBox{0, x.address() + 11, 10, 0}, {8, 5, 1});
  queue.copy(MemorySpan::of_host(all.data(), 100), x.span());
  queue.synchronize();
  EXPECT_EQ(inner, std::vector<std::uint8_t>(40, 2));
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 60 + 80);
}

TEST_P(Direct, EventsOrderQueues) {
  const Queue other = device.queue({.priority = 1});
  const Event done = device.event();
  EXPECT_TRUE(done.done());
  std::latch go(1);
  std::atomic<int> step{0};
  int seen = -1;
  queue.call([&] {
    go.wait();
    step = 1;
  });
  queue.record(done);
  other.wait(done);
  other.call([&] { seen = step; });
  let_others_run(device);
  go.count_down();
  other.synchronize();
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(done.done());
  EXPECT_GT(done.completed_ns(), 0u);
}

TEST_P(Direct, RecordingAnEventElsewhereReleasesNobody) {
  const Queue other = device.queue(), idle = device.queue();
  const Event event = device.event();
  std::atomic<bool> go{false}, came{false};
  std::atomic<int> step{0};
  int seen = -1;
  queue.call([&] {
    while (!go) std::this_thread::yield();
    step = 1;
  });
  queue.record(event);
  other.wait(event);
  other.call([&] {
    seen = step;
    came = true;
  });
  idle.record(event);  // reached at once, while `other` waits for what was recorded before
  event.wait();
  let_others_run(device);
  EXPECT_FALSE(came);
  go = true;
  other.synchronize();
  EXPECT_EQ(seen, 1);
}

TEST_P(Direct, HostMemory) {
  const Memory pinned = device.allocate_host(64);
  EXPECT_EQ(pinned.span().device, MemorySpan::host);
  EXPECT_NE(pinned.host(), nullptr);
  std::vector<std::uint32_t> own(16, 1);
  EXPECT_THROW(device.register_host(reinterpret_cast<void*>(std::uintptr_t{8}), 64), Error);
  EXPECT_THROW(device.register_host(own.data(), std::size_t{1} << 60), Error);
  Memory registered = device.register_host(own.data(), 64);
  queue.launch(scale, {.grid = {1}, .block = {16}}, pack(scale, registered.address(), 16));
  queue.synchronize();
  EXPECT_EQ(own, std::vector<std::uint32_t>(16, 3));
  EXPECT_FALSE(Memory());
  EXPECT_GT(device.free_memory(), 0u);
}

TEST_P(Direct, FailuresAreToldOnceAndTheQueueGoesOn) {
  const LoadedKernel fails = device.load(module.kernel("fails"));
  const Event after = device.event();
  queue.launch(fails, {}, {});
  queue.record(after);
  try {
    queue.synchronize();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), KernelFault::trap);
  }
  EXPECT_THROW(after.wait(), Error);
  EXPECT_NO_THROW(queue.synchronize());
  EXPECT_EQ(run(queue, scale, 100), scaled(100, 64));
}

TEST_P(Direct, ThreadsShareAQueue) {
  const std::uint32_t n = 64;
  const Memory x = device.allocate(n * 4);
  queue.fill(x.span(), 0, 4);
  queue.fill(device.variable(module, "factor"), 1, 4);
  // ctaid is 0 in all: each launch leaves x as it is, and all are counted by the host.
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        queue.launch(scale, {.grid = {1}, .block = {n}}, pack(scale, x.address(), n));
        queue.call([&] { ++calls; });
        if (i % 10 == 0) queue.synchronize();
      }
    });
  for (std::thread& thread : threads) thread.join();
  queue.synchronize();
  EXPECT_EQ(calls, 200);
}

TEST_P(Direct, WrongUseIsRefused) {
  const auto message = [&](auto&& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message([&] { runtime.device(7); }), HasSubstr("no device number 7"));
  EXPECT_THAT(message([&] { runtime.device("cuda:99"); }), HasSubstr("no device 'cuda:99'"));
  std::uint32_t value = 0;
  EXPECT_THAT(message([&] { queue.copy({5, 16, 4}, MemorySpan::of_host(&value, 4)); }), HasSubstr("device number 5"));
  Runtime another({.devices = GetParam().device});
  const Module foreign = another.load_ptx(source, "foreign.ptx");
  EXPECT_THAT(message([&] { device.load(foreign.kernel("scale")); }),
              AllOf(HasSubstr("foreign.ptx"), HasSubstr("another runtime")));
  Queue gone = std::move(queue);
  EXPECT_THAT(message([&] { queue.synchronize(); }), HasSubstr("moved from"));
  EXPECT_NO_THROW(gone.synchronize());
}

// Queues that submit at once, and queues whose launches a policy holds.
INSTANTIATE_TEST_SUITE_P(Devices, Direct,
                         testing::Values(Setting{"cpu", ""}, Setting{"interp", ""}, Setting{"cpu", "slice:2"},
                                         Setting{"cpu", "bounded:50"}, Setting{"cpu", "bounded:500"},
                                         Setting{"interp", "bounded:200"}, Setting{"cpu", "lithos"},
                                         Setting{"interp", "lithos:atom=1"}, Setting{"cpu", "timeslice:100"}),
                         [](const testing::TestParamInfo<Setting>& info) {
                           std::string name = std::string(info.param.device) + "_" + info.param.policy;
                           for (char& c : name)
                             if (c == ':' || c == '=') c = '_';
                           return name;
                         });

TEST(DirectPolicy, WhatMakesNoSenseIsRefused) {
  const auto message = [](const RuntimeOptions& options) -> std::string {
    try {
      Runtime runtime(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message({.devices = "interp", .policy = "fastest"}), HasSubstr("no policy 'fastest'"));
  EXPECT_THAT(message({.devices = "interp", .slice = 4, .policy = "bounded"}), HasSubstr("slice:4 is one"));
}

// Launches that are held keep the order of their queues and events: a chain through several queues, with kernels of
// different lengths, copies and host functions between them.
TEST(DirectPolicy, RandomQueuesKeepTheirOrder) {
  for (const char* const policy : {"slice:1", "bounded:50", "bounded:100", "lithos:atom=1,throttle=1", "reef:1",
                                   "tgs:100", "orion", "static", "timeslice:100", "priority", "mps-like"}) {
    Runtime runtime({.devices = "cpu", .policy = policy});
    const Device device = runtime.device(0);
    const Module module = runtime.load_ptx(source, "source.ptx");
    const LoadedKernel scale = device.load(module.kernel("scale"));
    constexpr std::uint32_t n = 256, block = 16;
    const Memory x = device.allocate(n * 4);
    std::vector<std::uint32_t> expected(n), got(n);
    std::vector<std::byte> arguments(scale.parameter_bytes());
    const std::uint64_t address = x.address();
    std::memcpy(arguments.data() + scale.parameters()[0].offset, &address, sizeof address);
    std::memcpy(arguments.data() + scale.parameters()[1].offset, &n, sizeof n);
    std::vector<Queue> queues;
    for (int i = 0; i < 4; ++i) queues.push_back(device.queue({.priority = i % 2}));
    std::mt19937 random(7);
    const Event turn = device.event();
    queues[0].fill(x.span(), 0, 4);
    queues[0].record(turn);
    for (int step = 0; step < 400; ++step) {
      const Queue& queue = queues[random() % queues.size()];
      queue.wait(turn);
      switch (random() % 4) {
        case 0:
          queue.fill({0, x.address() + 64, 64}, static_cast<std::uint32_t>(step), 4);
          for (std::uint32_t i = 16; i < 32; ++i) expected[i] = static_cast<std::uint32_t>(step);
          break;
        case 1: queue.call([] { std::this_thread::yield(); }); break;
        default:
          queue.launch(scale, {.grid = {n / block}, .block = {block}}, arguments);
          for (std::uint32_t i = 0; i < n; ++i) expected[i] = expected[i] * 3 + i / block;
      }
      queue.record(turn);
      if (random() % 50 == 0) turn.wait();
    }
    queues[1].wait(turn);
    queues[1].copy(MemorySpan::of_host(got.data(), n * 4), x.span());
    queues[1].synchronize();
    EXPECT_EQ(got, expected) << policy;
  }
}

TEST(DirectOnTwoDevices, KernelsStayWhereTheyWereLoaded) {
  Runtime runtime({.devices = "cpu,interp"});
  const Module module = runtime.load_ptx(source);
  const LoadedKernel here = runtime.device("cpu").load(module.kernel("fails"));
  try {
    runtime.device("interp").queue().launch(here, {}, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("was loaded for cpu, the queue is of interp"));
  }
  // One waits for the other.
  const Queue first = runtime.device("cpu").queue(), second = runtime.device("interp").queue();
  const Event done = runtime.device("cpu").event();
  std::latch go(1);
  std::atomic<bool> ran{false}, seen{false};
  first.call([&] {
    go.wait();
    ran = true;
  });
  first.record(done);
  second.wait(done);
  second.call([&] { seen = ran.load(); });
  let_others_run(runtime.device("interp"));
  go.count_down();
  second.synchronize();
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace heddle
