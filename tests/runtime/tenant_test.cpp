// Tenants of one process, on the devices that every machine has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
// x[i] = x[i] + 1, so many times
.visible .entry count(.param .u64 p_x, .param .u32 p_times) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u32 %r1, [p_times];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  mov.u32 %r7, 0;
again:
  add.u32 %r6, %r6, 1;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, %r1;
  @%p1 bra again;
  st.global.u32 [%rd4], %r6;
  ret;
}
)";
constexpr unsigned blocks = 64, threads = 32;

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class Tenants : public testing::TestWithParam<const char*> {};

// Launches of two tenants, some on the same array, by arrays and by queues, with quotas that change: the results are
// those of the program's order.
TEST_P(Tenants, ResultsAreThoseOfTheProgramsOrder) {
  Runtime runtime({.devices = "cpu", .policy = GetParam()});
  const Module module = runtime.load_ptx(source, "source.ptx");
  const Kernel count = module.kernel("count");
  Tenant search = runtime.tenant({.name = "search", .kind = TenantKind::latency, .quota = 0.5});
  const Tenant train = runtime.tenant({.name = "train"});
  auto mine = runtime.array<std::uint32_t>(blocks * threads), shared = runtime.array<std::uint32_t>(blocks * threads);
  const LaunchOptions shape{.grid = {blocks}, .block = {threads}};
  for (std::uint32_t i = 0; i < 30; ++i) {
    search.launch(count, shape, mine, i + 1);
    train.launch(count, shape, shared, 2u);
    search.launch(count, shape, shared, 3u);
    if (i % 10 == 5) search.set({.name = "search", .kind = TenantKind::latency, .quota = i == 5 ? 1.0 : 0.0});
  }
  for (const std::uint32_t value : mine.read()) ASSERT_EQ(value, 30u * 31 / 2);
  for (const std::uint32_t value : shared.read()) ASSERT_EQ(value, 30u * 5);
}

TEST_P(Tenants, QueuesOfTwoThreads) {
  Runtime runtime({.devices = "cpu", .policy = GetParam()});
  const Device device = runtime.device(0);
  const Module module = runtime.load_ptx(source, "source.ptx");
  const LoadedKernel count = device.load(module.kernel("count"));
  const auto work = [&](const Tenant& tenant, std::uint32_t times) {
    const Memory memory = tenant.allocate(device, blocks * threads * 4);
    const Queue queue = tenant.queue(device);
    queue.fill(memory.span(), 0, 4);
    std::vector<std::byte> arguments(count.parameter_bytes());
    const std::uint64_t address = memory.address();
    std::memcpy(arguments.data() + count.parameters()[0].offset, &address, sizeof address);
    std::memcpy(arguments.data() + count.parameters()[1].offset, &times, sizeof times);
    for (int i = 0; i < 50; ++i) {
      queue.launch(count, {.grid = {blocks}, .block = {threads}}, arguments);
      if (i % 10 == 9) queue.synchronize();
    }
    std::vector<std::uint32_t> got(blocks * threads);
    queue.copy(MemorySpan::of_host(got.data(), got.size() * 4), memory.span());
    queue.synchronize();
    for (const std::uint32_t value : got) ASSERT_EQ(value, 50 * times);
  };
  const Tenant search = runtime.tenant({.name = "search", .kind = TenantKind::latency, .quota = 0.5});
  const Tenant train = runtime.tenant({.name = "train", .quota = 0.5});
  std::thread other([&] { work(train, 100); });
  work(search, 3);
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Policies, Tenants,
                         testing::Values("direct", "lithos", "lithos:atom=1,throttle=1", "reef", "orion", "tgs:100",
                                         "timeslice:100", "priority", "mps-like", "static"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(Tenant, MemoryBeyondItsQuotaIsRefusedToItAlone) {
  Runtime runtime({.devices = "cpu", .policy = "lithos"});
  const Device device = runtime.device(0);
  const Tenant small = runtime.tenant({.name = "small", .memory_bytes = 1 << 20}),
               other = runtime.tenant({.name = "other"});
  Memory first = small.allocate(device, 1 << 19);
  const Memory second = small.allocate(device, 1 << 19);
  EXPECT_THAT(message([&] { small.allocate(device, 1); }), HasSubstr("tenant 'small' asks for 1 B of cpu"));
  EXPECT_THAT(message([&] { small.allocate(device, ~std::size_t{0}); }), HasSubstr("it may have 1.00 MiB"));
  EXPECT_TRUE(other.allocate(device, 1 << 21));
  first = {};
  EXPECT_TRUE(small.allocate(device, 1 << 19)) << "what is freed can be had again";
}

TEST(Tenant, WhatMakesNoSenseIsRefused) {
  Runtime runtime({.devices = "interp", .policy = "lithos"}), foreign({.devices = "interp"});
  const auto said = [&](const TenantOptions& options) { return message([&] { runtime.tenant(options); }); };
  EXPECT_THAT(said({}), HasSubstr("needs a name"));
  EXPECT_THAT(said({.name = "a", .quota = 1.5}), HasSubstr("must be 0 to 1"));
  EXPECT_THAT(said({.name = "a", .quota = -0.1}), HasSubstr("must be 0 to 1"));
  EXPECT_THAT(said({.name = "a", .slip = 0.5}), HasSubstr("must be 0 (none), or 1"));
  Tenant tenant = runtime.tenant({.name = "a"});
  EXPECT_THAT(message([&] { tenant.set({.name = "a", .quota = 2}); }), HasSubstr("must be 0 to 1"));
  EXPECT_EQ(tenant.options().quota, 0) << "nothing has changed";
  EXPECT_THAT(message([&] { tenant.queue(foreign.device(0)); }), HasSubstr("another runtime"));
  const Tenant gone = std::move(tenant);
  EXPECT_THAT(message([&] { tenant.options(); }), HasSubstr("moved from"));
}

// A tenant ends with its last queue, and waits for its launches then.
TEST(Tenant, LivesAsLongAsItsQueues) {
  Runtime runtime({.devices = "cpu", .policy = "lithos"});
  const Device device = runtime.device(0);
  const LoadedKernel count = device.load(runtime.load_ptx(source, "source.ptx").kernel("count"));
  const Memory memory = device.allocate(blocks * threads * 4);
  std::vector<std::byte> arguments(count.parameter_bytes());
  const std::uint64_t address = memory.address();
  const std::uint32_t times = 1000;
  std::memcpy(arguments.data() + count.parameters()[0].offset, &address, sizeof address);
  std::memcpy(arguments.data() + count.parameters()[1].offset, &times, sizeof times);
  const Queue queue = runtime.tenant({.name = "short"}).queue(device);
  for (int i = 0; i < 20; ++i) queue.launch(count, {.grid = {blocks}, .block = {threads}}, arguments);
  queue.synchronize();
}

}  // namespace
}  // namespace heddle
