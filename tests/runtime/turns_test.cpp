// Host threads with one runtime and the same arrays, in managed mode: what is submitted past the policy, as calls,
// timed launches and the host's accesses are, among launches of which the policy submits some blocks at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/threads_fixture.hpp"

namespace heddle::tests {
namespace {

// count(): total += 1 by one thread of each block.
constexpr const char* count_kernel = R"(
.visible .global .align 4 .u32 total;
.visible .entry count() {
  .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra done;
  mov.u64 %rd1, total;
  atom.global.add.u32 %r2, [%rd1], 1;
done:
  ret;
}
)";

constexpr std::uint32_t blocks = 16, n = blocks * 64;

class Turns : public testing::TestWithParam<const char*> {
 protected:
  void start(const char* devices, std::uint64_t memory_budget = 0) {
    RuntimeOptions options;
    options.devices = devices;
    options.policy = GetParam();
    options.workers = 2;
    if (memory_budget != 0) options.memory_budget = memory_budget;
    runtime_.emplace(options);
    module_.emplace(runtime_->load_ptx(thread_kernels(300) + count_kernel));
    add_.emplace(module_->kernel("add"));
    copy_.emplace(module_->kernel("copy"));
    count_.emplace(module_->kernel("count"));
  }
  static LaunchOptions shape(bool timed = false, const char* device = "") {
    return {.grid = {blocks}, .block = {64}, .device = device, .timed = timed};
  }
  static void expect_all(Array<std::uint32_t>& array, std::uint32_t wanted) {
    EXPECT_THAT(array.read(), testing::Each(wanted));
  }

  std::optional<Runtime> runtime_;
  std::optional<Module> module_;
  std::optional<Kernel> add_, copy_, count_;
};

void add_one(const Call& call) {
  for (std::uint32_t i = 0; i < n; ++i) ++call.data<std::uint32_t>(0)[i];
}

TEST_P(Turns, CallsComeBetweenLaunchesOfOtherThreads) {
  start("cpu");
  auto shared = runtime_->array<std::uint32_t>(n);
  constexpr std::uint32_t hosts = 3, rounds = 150;
  in_threads(hosts, [&](std::uint32_t h) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      runtime_->launch(*add_, shape(), 1u, shared);
      if (round % (h + 1) == 0) runtime_->call({}, add_one, inout(shared));
    }
  });
  expect_all(shared, hosts * rounds + 150 + 75 + 50);
}

// One that launches without end does not keep others from their turn.
TEST_P(Turns, CallsDoNotWaitForWhatOthersGoOnToLaunch) {
  if (std::string_view(GetParam()).empty())
    GTEST_SKIP() << "without a policy, the host waits as long as others go on to launch";
  start("cpu");
  auto shared = runtime_->array<std::uint32_t>(n);
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> launched{0};
  in_threads(2, [&](std::uint32_t h) {
    if (h == 0) {
      while (!done) {
        const Launch last = runtime_->launch(*add_, shape(), 1u, shared);
        if (++launched % 32 == 0) last.wait();
      }
      return;
    }
    while (launched == 0) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) {
      runtime_->call({}, add_one, inout(shared));
      static_cast<void>(shared.read());
    }
    done = true;
  });
  expect_all(shared, launched + 5);
}

TEST_P(Turns, TimedLaunchesComeBetweenLaunchesOfOtherThreads) {
  start("cpu");
  auto shared = runtime_->array<std::uint32_t>(n);
  constexpr std::uint32_t hosts = 3, rounds = 100;
  in_threads(hosts, [&](std::uint32_t) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const Launch last = runtime_->launch(*add_, shape(round % 5 == 3), 1u, shared);
      if (round % 5 == 3) {
        EXPECT_GE(last.seconds(), 0);
      }
    }
  });
  expect_all(shared, hosts * rounds);
}

TEST_P(Turns, VariablesAreSetBetweenLaunchesOfOtherThreads) {
  start("cpu");
  constexpr std::uint32_t hosts = 3, rounds = 60;
  in_threads(hosts, [&](std::uint32_t h) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      runtime_->launch(*count_, shape());
      if (h == 0 && round % 4 == 1) {
        EXPECT_GE(module_->variable<std::uint32_t>("total"), blocks * (round + 1));
      }
    }
  });
  EXPECT_EQ(module_->variable<std::uint32_t>("total"), hosts * rounds * blocks);
}

// The host only asks for the bytes that others change meanwhile; it looks at its own.
TEST_P(Turns, TheHostAsksAmongLaunchesOfOtherThreadsOnTwoDevices) {
  start("cpu,interp");
  auto shared = runtime_->array<std::uint32_t>(n);
  constexpr std::uint32_t hosts = 3, rounds = 24;
  in_threads(hosts, [&](std::uint32_t h) {
    auto mine = runtime_->array<std::uint32_t>(n);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const char* const device = (h + round) % 6 == 0 ? "interp" : "cpu";
      runtime_->launch(*add_, shape(false, device), 1u, shared);
      runtime_->launch(*add_, shape(), 1u, mine);
      // Without a policy the bytes become the host's whatever others change while it asks for them to write.
      if (round % 2 == 0 || std::string_view(GetParam()).empty())
        static_cast<void>(shared.read());
      else
        static_cast<void>(shared.write());
      if (round % 3 == 0) runtime_->launch(*copy_, shape(false, device), shared, runtime_->array<std::uint32_t>(n));
      if (round % 4 == 0) runtime_->call({.device = device}, [](const Call&) {}, inout(shared), in(mine));
      if (round % 8 == 7) runtime_->synchronize();
      EXPECT_EQ(mine[n - 1], round + 1);
    }
  });
  expect_all(shared, hosts * rounds);
}

// Every later launch uses such an array as well; those that are held already do not.
TEST_P(Turns, AddressesAreTakenWhileOthersLaunch) {
  start("cpu");
  auto shared = runtime_->array<std::uint32_t>(n);
  constexpr std::uint32_t hosts = 3, rounds = 40;
  in_threads(hosts, [&](std::uint32_t h) {
    std::vector<Array<std::uint32_t>> taken;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      runtime_->launch(*add_, shape(round % 7 == 6), 1u, shared);
      if (round % 10 == h) {
        taken.push_back(runtime_->array<std::uint32_t>(n));
        runtime_->launch(*add_, shape(), 1u, taken.back());
        EXPECT_NE(taken.back().address(), 0u);
      }
      if (round % 5 == 0) runtime_->call({}, [](const Call&) {}, in(shared));
    }
    for (auto& array : taken) expect_all(array, 1);
  });
  expect_all(shared, hosts * rounds);
}

TEST_P(Turns, MemoryThatDoesNotSufficeForAllGoesFromTurnToTurn) {
  start("cpu", 3 * n * sizeof(std::uint32_t));
  constexpr std::uint32_t hosts = 3, rounds = 20;
  in_threads(hosts, [&](std::uint32_t h) {
    auto first = runtime_->array<std::uint32_t>(n), second = runtime_->array<std::uint32_t>(n);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      runtime_->launch(*add_, shape(round % 5 == h), 1u, first);
      runtime_->launch(*add_, shape(), 1u, second);
      if (round % 3 == 0) runtime_->call({}, add_one, inout(first));
    }
    expect_all(first, rounds + 7);
    expect_all(second, rounds);
  });
}

std::string name(const testing::TestParamInfo<const char*>& info) {
  const std::string policy = info.param;
  return policy.empty() ? "direct" : policy.substr(0, policy.find(':'));
}

INSTANTIATE_TEST_SUITE_P(Policies, Turns, testing::Values("", "bounded:50", "slice:3", "kernelet", "lithos"), name);

}  // namespace
}  // namespace heddle::tests
