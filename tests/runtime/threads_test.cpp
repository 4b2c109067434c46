// Many host threads with one runtime and the same arrays, under every policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "runtime/threads_fixture.hpp"

namespace heddle::tests {
namespace {

constexpr const char* trap_kernel = ".visible .entry trap_all() { trap; }\n";

constexpr std::uint32_t n = 128;
constexpr std::uint32_t hosts = 4, rounds = 12;

LaunchOptions on(std::uint32_t device) {
  return {.grid = {1}, .block = {n}, .device = device % 3 == 0 ? "interp" : "cpu"};
}

bool all_are(std::span<const std::uint32_t> values, std::uint32_t wanted) {
  for (const std::uint32_t value : values)
    if (value != wanted) return false;
  return true;
}

class Threads : public testing::TestWithParam<Scheduling> {};

// Launches with the same bytes come in some order, and none is lost; no device is left with bytes that are stale.
TEST_P(Threads, ChangeTheSameArrayOnSeveralDevices) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2, .scheduling = GetParam()});
  Module module = runtime.load_ptx(thread_kernels() + trap_kernel);
  const Kernel add = module.kernel("add"), copy = module.kernel("copy");
  auto shared = runtime.array<std::uint32_t>(2 * n), constant = runtime.array<std::uint32_t>(n);
  for (std::uint32_t& value : constant.write()) value = 7;
  std::atomic<std::uint32_t> wrong{0};
  in_threads(hosts, [&](std::uint32_t h) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      auto mine = runtime.array<std::uint32_t>(n);
      runtime.launch(add, on(h + round), 1u, shared.slice(0, n));
      runtime.launch(add, on(h * round), 2u, shared.slice(n, n));
      runtime.launch(copy, on(round), constant, mine);
      const Launch last = runtime.launch(add, on(h), h, mine);
      runtime.launch(copy, on(h + round), shared.slice(n / 2, n), mine);  // at any moment of the others
      runtime.launch(copy, on(round), constant, mine);
      if (round % 3 == 0) last.wait();
      if (round % 4 == 0) runtime.synchronize();
      if (!all_are(mine.read(), 7) || !all_are(constant.read(), 7)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0u);
  for (std::uint32_t device = 0; device < 2; ++device) {
    auto seen = runtime.array<std::uint32_t>(n);
    runtime.launch(copy, on(device), shared.slice(0, n), seen);
    EXPECT_TRUE(all_are(seen.read(), hosts * rounds)) << seen.read()[0];
    runtime.launch(copy, on(device), shared.slice(n, n), seen);
    EXPECT_TRUE(all_are(seen.read(), 2 * hosts * rounds)) << seen.read()[0];
  }
}

TEST_P(Threads, AreToldOfTheirOwnFailures) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2, .scheduling = GetParam()});
  Module module = runtime.load_ptx(thread_kernels() + trap_kernel);
  const Kernel add = module.kernel("add"), trap = module.kernel("trap_all");
  std::atomic<std::uint32_t> told{0}, wrong{0};
  in_threads(hosts, [&](std::uint32_t h) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      auto mine = runtime.array<std::uint32_t>(n);
      try {
        runtime.launch(trap, {.grid = {1}, .block = {32}, .device = round % 2 == 0 ? "cpu" : "interp"}).wait();
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kernel_fault) ++told;
      }
      runtime.launch(add, on(h + round), h, mine);
      if (!all_are(mine.read(), h)) ++wrong;
    }
  });
  EXPECT_EQ(told, hosts * rounds);
  EXPECT_EQ(wrong, 0u);
}

TEST_P(Threads, LoadAndDropModules) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2, .scheduling = GetParam()});
  std::atomic<std::uint32_t> wrong{0};
  in_threads(hosts, [&](std::uint32_t h) {
    for (std::uint32_t round = 0; round < rounds / 4; ++round) {
      auto mine = runtime.array<std::uint32_t>(n);
      {
        Module module = runtime.load_ptx(thread_kernels() + trap_kernel);
        const Kernel add = module.kernel("add");
        for (std::uint32_t i = 0; i < 40; ++i) runtime.launch(add, on(h + round), 1u, mine);  // polls on the way
      }
      if (!all_are(mine.read(), 40)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0u);
}

std::string name(const testing::TestParamInfo<Scheduling>& info) {
  constexpr const char* names[] = {"byDefault", "synchronous", "withoutPrefetch", "withoutConst", "fewQueues"};
  return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Threads,
    testing::Values(Scheduling{}, Scheduling{.execution = Scheduling::Execution::sync}, Scheduling{.prefetch = false},
                    Scheduling{.dependences = Scheduling::Dependences::no_const,
                               .new_queues = Scheduling::NewQueues::always_new},
                    Scheduling{.child_queues = Scheduling::ChildQueues::same_as_parent, .most_queues = 6}),
    name);

}  // namespace
}  // namespace heddle::tests
