// What it costs to start work on the CPU device: an empty kernel from launch to completion, many small launches, and a
// barrier for each warp.
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/cpu/cpu.hpp"
#include "ptx/parser.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr const char* kernels = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry empty() { ret; }
.visible .entry touch(.param .u64 p_x) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_x];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  add.u32 %r6, %r5, 1;
  st.global.u32 [%rd3], %r6;
  ret;
}
.visible .entry barriers(.param .u32 p_n) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [p_n];
  mov.u32 %r2, 0;
LOOP:
  bar.sync 0;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  ret;
}
)ptx";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Setup {
  std::unique_ptr<device::Device> device = device::cpu::make_cpu_device();
  std::shared_ptr<device::Module> module =
      device->load(std::make_shared<ptx::Module>(ptx::parse(kernels, "launch_latency.ptx")), {});
  std::unique_ptr<device::Queue> queue = device->queue({});
};

// Median microseconds of a launch and the wait for it.
double round_trip(Setup& setup, device::Function& function, const device::LaunchConfig& config,
                  std::span<const std::byte> arguments) {
  constexpr int warm_up = 2000, rounds = 20'000;
  std::vector<double> samples;
  for (int i = 0; i < warm_up + rounds; ++i) {
    const auto start = Clock::now();
    setup.queue->launch(function, config, {0, config.grid.count()}, arguments);
    setup.queue->synchronize();
    if (i >= warm_up) samples.push_back(seconds_since(start));
  }
  return bench::median(std::move(samples)) * 1e6;
}

// Microseconds for each of many launches that are waited for together.
double back_to_back(Setup& setup, device::Function& function, const device::LaunchConfig& config,
                    std::span<const std::byte> arguments) {
  constexpr int batches = 21, launches = 2000;
  std::vector<double> samples;
  for (int b = 0; b < batches; ++b) {
    const auto start = Clock::now();
    for (int i = 0; i < launches; ++i) setup.queue->launch(function, config, {0, config.grid.count()}, arguments);
    setup.queue->synchronize();
    samples.push_back(seconds_since(start) / launches);
  }
  return bench::median(std::move(samples)) * 1e6;
}

// Nanoseconds that one warp takes for one barrier, in a block of so many warps.
double barrier_cost(Setup& setup, std::uint32_t warps) {
  constexpr std::uint32_t few = 100, many = 10'100;
  const auto run = [&](std::uint32_t n) {
    const auto start = Clock::now();
    setup.queue->launch(setup.module->function("barriers"), {.block = {warps * 32}}, {0, 1},
                        std::as_bytes(std::span(&n, 1)));
    setup.queue->synchronize();
    return seconds_since(start);
  };
  std::vector<double> samples;
  for (int i = 0; i < 21; ++i) samples.push_back((run(many) - run(few)) / (many - few) / warps);
  return bench::median(std::move(samples)) * 1e9;
}

}  // namespace

int main() {
  Setup setup;
  bench::Results results("cpu");
  const auto memory = setup.device->allocate(1 << 22);
  const std::uint64_t address = memory->span().address;
  const auto pointer = std::as_bytes(std::span(&address, 1));
  auto& empty = setup.module->function("empty");
  auto& touch = setup.module->function("touch");
  const device::LaunchConfig one{.block = {256}}, many{.grid = {64}, .block = {256}};
  const auto add = [&](const char* name, double microseconds, std::optional<bench::Bar> bar = {}) {
    results.add({name, microseconds, "us", bar, ""});
  };
  add("empty kernel, 1 block, launch to completion", round_trip(setup, empty, {}, {}), bench::at_most(2.0));
  add("1 block of 256 threads, launch to completion", round_trip(setup, touch, one, pointer));
  add("64 blocks of 256 threads, launch to completion", round_trip(setup, touch, many, pointer));
  add("empty kernel, 1 block, many in a queue", back_to_back(setup, empty, {}, {}));
  add("64 blocks of 256 threads, many in a queue", back_to_back(setup, touch, many, pointer));
  for (const std::uint32_t warps : {1u, 2u, 8u, 32u}) {
    results.add({"barrier, for each of " + std::to_string(warps) + " warps", barrier_cost(setup, warps), "ns", {}, ""});
  }
  return results.finish();
}
