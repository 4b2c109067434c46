// What only GPUs have: partitions by SM, ranges as added entries, waits between GPU and host devices, traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <set>

#include "device/cuda/cuda.hpp"
#include "device/interp/interp.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::cuda {
namespace {

using testing::HasSubstr;

constexpr const char* source = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry processors(.param .u64 out) {
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, %smid;
  st.global.u32 [%rd1], %r2;
  mov.u32 %r3, 0;
again:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 3000;
  @%p1 bra again;
  ret;
}
// Block b writes b + 1; block 0 after 3 ms.
.visible .entry first_is_slow(.param .u64 out) {
  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra write;
  mov.u64 %rd3, %globaltimer;
again:
  mov.u64 %rd4, %globaltimer;
  sub.u64 %rd5, %rd4, %rd3;
  setp.lt.u64 %p2, %rd5, 3000000;
  @%p2 bra again;
write:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  add.u32 %r2, %r1, 1;
  st.global.u32 [%rd1], %r2;
  ret;
}
.visible .entry numbers(.param .u64 out, .param .u64 count) {
  .reg .b32 %r<12>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  mov.u32 %r6, %nctaid.z;
  mad.lo.u32 %r7, %r3, %r5, %r2;
  mad.lo.u32 %r7, %r7, %r4, %r1;
  mad.lo.u32 %r8, %r1, 31, %r2;
  mad.lo.u32 %r8, %r8, 31, %r3;
  mad.lo.u32 %r8, %r8, 31, %r4;
  mad.lo.u32 %r8, %r8, 31, %r5;
  mad.lo.u32 %r8, %r8, 31, %r6;
  mad.wide.u32 %rd3, %r7, 4, %rd1;
  st.global.u32 [%rd3], %r8;
  mad.wide.u32 %rd4, %r7, 4, %rd2;
  red.global.add.u32 [%rd4], 1;
  ret;
}
)";

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "NOT RUN: no GPU";
    open(nullptr);
  }
  void open(base::TraceSink* trace) {
    const char* ordinal = std::getenv("HEDDLE_TEST_GPU");
    device = make_cuda_device({.ordinal = ordinal ? std::atoi(ordinal) : 0, .trace = trace});
    module = device->load(std::make_shared<ptx::Module>(ptx::parse(source, "gpu.ptx")), {});
  }
  std::vector<std::uint32_t> read(Queue& queue, const Memory& memory) {
    std::vector<std::uint32_t> values(memory.span().size / 4);
    queue.copy(Span::host(values.data(), memory.span().size), memory.span());
    queue.synchronize();
    return values;
  }
  template <class... Addresses>
  void launch(Queue& queue, const char* kernel, const LaunchConfig& config, BlockRange range, Addresses... addresses) {
    const std::uint64_t values[] = {addresses...};
    queue.launch(module->function(kernel), config, range, std::as_bytes(std::span(values)));
  }
  std::set<std::uint32_t> processors_of(Queue& queue) {
    constexpr std::uint32_t blocks = 4000;
    const auto out = device->allocate(blocks * 4);
    launch(queue, "processors", {.grid = {blocks}, .block = {512}}, {0, blocks}, out->span().address);
    const auto seen = read(queue, *out);
    return {seen.begin(), seen.end()};
  }

  std::unique_ptr<Device> device;
  std::shared_ptr<Module> module;
};

TEST_F(Gpu, PartitionsKeepToTheirProcessors) {
  const unsigned all = device->info().processors;
  const auto whole = device->queue({});
  EXPECT_EQ(processors_of(*whole).size(), all);
  const auto make = [&](std::vector<unsigned> ids) { return device->partition({std::move(ids)}); };
  const auto first = make({0, 1, 2, 3, 4, 5, 6, 7}), second = make({8, 9, 20, 21}), both = make({6, 7, 8, 9});
  const auto on_first = device->queue({.partition = first.get()}),
             on_second = device->queue({.partition = second.get()}), on_both = device->queue({.partition = both.get()});
  const auto a = processors_of(*on_first), b = processors_of(*on_second), c = processors_of(*on_both);
  EXPECT_EQ(a.size(), 8u);
  EXPECT_EQ(b.size(), 4u);
  EXPECT_EQ(c.size(), 4u);
  std::vector<std::uint32_t> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  EXPECT_TRUE(shared.empty());
  std::set<std::uint32_t> together = a;
  together.insert(b.begin(), b.end());
  EXPECT_TRUE(std::includes(together.begin(), together.end(), c.begin(), c.end()));
}

// Ranges of one launch begin early. What comes behind the last of them finds all of them done: here the very first
// block, which is slow, while the others are fast.
TEST_F(Gpu, WhatFollowsRangesFindsThemDone) {
  constexpr std::uint32_t blocks = 2000;
  const auto out = device->allocate(blocks * 4), copy = device->allocate(blocks * 4);
  const auto queue = device->queue({});
  std::vector<std::uint32_t> expected(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) expected[i] = i + 1;
  for (std::uint32_t round = 0; round < 20; ++round) {
    queue->fill(out->span(), 0, 4);
    const std::uint32_t step = 1 + round * 37;
    for (std::uint32_t i = 0; i < blocks; i += step)
      launch(*queue, "first_is_slow", {.grid = {blocks}, .block = {64}}, {i, std::min(blocks, i + step)},
             out->span().address);
    if (round % 2 == 0) queue->copy(copy->span(), out->span());
    EXPECT_EQ(read(*queue, round % 2 == 0 ? *copy : *out), expected) << "ranges of " << step;
  }
}

TEST_F(Gpu, OneQueueChangesPartition) {
  const auto some = device->partition({{4, 5, 6, 7}}), others = device->partition({{20, 21}});
  const auto queue = device->queue({});
  for (int i = 0; i < 3; ++i) {
    queue->set_partition(some.get());
    const auto a = processors_of(*queue);
    queue->set_partition(others.get());
    const auto b = processors_of(*queue);
    queue->set_partition(nullptr);
    EXPECT_EQ(a.size(), 4u);
    EXPECT_EQ(b.size(), 2u);
    EXPECT_EQ(processors_of(*queue).size(), device->info().processors);
    std::vector<std::uint32_t> shared;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
    EXPECT_TRUE(shared.empty());
  }
}

TEST_F(Gpu, PartitionsThatCannotBe) {
  const auto refused = [&](std::vector<unsigned> ids) {
    try {
      device->partition({std::move(ids)});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(refused({}), HasSubstr("without SMs"));
  EXPECT_THAT(refused({1}), HasSubstr("whole groups of 2"));
  EXPECT_THAT(refused({2, 1}), HasSubstr("ascend"));
  EXPECT_THAT(refused({100'000}), HasSubstr("no SM 100000"));
}

TEST_F(Gpu, OccupancyIsToldForEachForm) {
  Function& function = module->function("numbers");
  const std::vector<Occupancy> some = function.occupancy({256}, 0);
  ASSERT_GE(some.size(), 3u);  // the whole grid, a box, a linear range
  EXPECT_EQ(some[0].form, "whole grid");
  EXPECT_THAT(some[1].form, HasSubstr("range ("));
  for (const Occupancy& form : some) {
    EXPECT_GT(form.registers, 4u) << form.form;
    EXPECT_EQ(form.blocks, 8u) << form.form;  // 2048 threads an SM
    EXPECT_DOUBLE_EQ(form.share, 1) << form.form;
  }
  const std::vector<Occupancy> less = function.occupancy({256}, 100 * 1024);
  EXPECT_EQ(less[0].shared_bytes, 100u * 1024);
  EXPECT_EQ(less[0].blocks, 2u);
  EXPECT_DOUBLE_EQ(less[0].share, 0.25);
  EXPECT_THROW(function.occupancy({2048}, 0), Error);
}

TEST_F(Gpu, ModulesForNewerGpusAreRefused) {
  const auto newer = std::make_shared<const ptx::Module>(
      ptx::parse(".version 8.8\n.target sm_121\n.address_size 64\n.visible .entry k() { ret; }\n", "newer.ptx"));
  try {
    device->load(newer, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("for GPUs of sm_121 and later"));
  }
}

TEST_F(Gpu, RandomRangesOnTwoQueuesMakeTheWholeGrid) {
  std::mt19937 random(5);
  const Dim3 grids[] = {{5000}, {37, 41}, {7, 11, 13}, {1, 1, 900}, {1, 777, 3}};
  for (const Dim3& grid : grids) {
    const auto blocks = static_cast<std::size_t>(grid.count());
    const auto out = device->allocate(blocks * 4), expected = device->allocate(blocks * 4),
               count = device->allocate(blocks * 4), once = device->allocate(blocks * 4);
    const auto a = device->queue({}), b = device->queue({.priority = 1});
    const LaunchConfig config{.grid = grid, .block = {32}};
    a->fill(out->span(), 0, 4);
    a->fill(count->span(), 0, 4);
    a->fill(once->span(), 0, 4);
    launch(*a, "numbers", config, {0, blocks}, expected->span().address, once->span().address);
    a->synchronize();
    for (std::uint64_t at = 0; at < blocks;) {
      const std::uint64_t end = std::min<std::uint64_t>(blocks, at + 1 + random() % (blocks / 4 + 1));
      launch(random() % 2 ? *a : *b, "numbers", config, {at, end}, out->span().address, count->span().address);
      at = end;
    }
    b->synchronize();
    a->synchronize();
    EXPECT_EQ(read(*a, *out), read(*a, *expected));
    for (std::uint32_t n : read(*a, *count)) ASSERT_EQ(n, 32u);
  }
}

// The GPU waits for a host device and the other way round, without the host waiting for either.
TEST_F(Gpu, TakesTurnsWithAHostDevice) {
  const auto host = interp::make_interp_device();
  const auto gpu_queue = device->queue({}), host_queue = host->queue({});
  const auto gpu_done = device->event(), host_done = host->event();
  constexpr int rounds = 100;
  std::vector<int> order;  // each appends, one at a time
  for (int i = 0; i < rounds; ++i) {
    gpu_queue->call([&, i] { order.push_back(2 * i); });
    gpu_queue->record(*gpu_done);
    host_queue->wait(*gpu_done);
    host_queue->call([&, i] { order.push_back(2 * i + 1); });
    host_queue->record(*host_done);
    gpu_queue->wait(*host_done);
  }
  gpu_queue->synchronize();
  host_queue->synchronize();
  ASSERT_EQ(order.size(), 2u * rounds);
  for (int i = 0; i < 2 * rounds; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

class Listener final : public base::TraceSink {
 public:
  void event(const base::TraceEvent& event) noexcept override {
    const std::lock_guard lock(mutex);
    events.push_back(event);
    names.emplace_back(event.name);
  }
  std::mutex mutex;
  std::vector<base::TraceEvent> events;
  std::vector<std::string> names;
};

TEST_F(Gpu, TracesTellWhenCommandsRan) {
  Listener listener;
  module.reset();
  device.reset();
  open(&listener);
  {
    const auto queue = device->queue({});
    const auto out = device->allocate(4000 * 4);
    queue->fill(out->span(), 0, 4);
    launch(*queue, "processors", {.grid = {4000}, .block = {512}}, {0, 4000}, out->span().address);
    queue->synchronize();
  }
  module.reset();
  device.reset();
  ASSERT_EQ(listener.events.size(), 4u);
  using Phase = base::TraceEvent::Phase;
  EXPECT_EQ(listener.events[0].kind, base::TraceEvent::Kind::fill);
  EXPECT_EQ(listener.events[2].kind, base::TraceEvent::Kind::launch);
  EXPECT_EQ(listener.names[2], "processors");
  EXPECT_EQ(listener.events[2].phase, Phase::start);
  EXPECT_EQ(listener.events[3].phase, Phase::end);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(listener.events[i].time_ns + 2000, listener.events[i - 1].time_ns);
  EXPECT_GT(listener.events[3].time_ns, listener.events[2].time_ns);
}

TEST(NoGpu, IsSaidInASentence) {
  std::string why;
  if (cuda_device_count(&why) > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(why.empty());
  try {
    make_cuda_device();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

}  // namespace
}  // namespace heddle::device::cuda
