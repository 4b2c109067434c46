// The paper's model against a simulated SM that is as the model takes it: one scheduler, arithmetic that takes a cycle,
// loads of a fixed latency. Kernels are synthetic: loads at random places of the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "batch/kernel.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/stepped.hpp"
#include "model/corun/corun.hpp"
#include "ptx/parser.hpp"

namespace heddle::batch {
namespace {

constexpr unsigned warp = 32, segments = 32, instructions = 40;

struct Code {
  std::string text;
  double memory_ratio = 0;  // of the segments
};

// Of each turn, every warp executes all segments, beginning at one of its own. A load's result is used at once.
Code code(double memory_ratio, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = R"(.version 6.0
.target sm_20
.address_size 64
.visible .entry synthetic(.param .u64 data, .param .u32 turns)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  shr.u32 %r3, %r2, 5;
  mul.lo.u32 %r3, %r3, 7;
)";
  text += fmt::format("  and.b32 %r3, %r3, {};\n", segments - 1);
  for (unsigned i = 1; i < segments; ++i)
    text += fmt::format("  setp.eq.u32 %p1, %r3, {0};\n  @%p1 bra segment{0};\n", i);
  unsigned loads = 0;
  for (unsigned i = 0; i < segments; ++i) {
    text += fmt::format("segment{}:\n", i);
    for (unsigned k = 0; k < instructions; ++k) {
      const bool load = static_cast<double>(random() >> 8) / 16777216.0 < memory_ratio;
      loads += load ? 1 : 0;
      text += load ? "  ld.global.u32 %r4, [%rd1];\n" : "  add.u32 %r4, %r4, 1;\n";
    }
    text += "  add.u32 %r4, %r4, 1;\n";
  }
  text += R"(  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra segment0;
  ret;
}
)";
  return {text, static_cast<double>(loads) / (segments * (instructions + 1))};
}

device::sim::SimOptions machine(unsigned latency) {
  device::sim::SimOptions options = device::sim::parse_sim_options("sim:fermi-c2050,memory=ideal");
  device::sim::MachineDescription& made = options.machine;
  made.sms = 1;
  made.front.schedulers = made.front.issue_interval = 1;
  made.front.register_banks = 0;
  made.launching.kernel_cycles = made.launching.block_cycles = 0;
  for (device::sim::Pipe* const pipe :
       {&made.pipes.alu, &made.pipes.fma, &made.pipes.sfu, &made.pipes.lsu, &made.pipes.branch}) {
    pipe->count = 1;
    pipe->latency = pipe->interval = 1;
  }
  made.l1.latency = latency;
  return options;
}

struct Measured {
  double ipc = 0, memory_ratio = 0;
};

Measured run(unsigned warps, double memory_ratio, unsigned latency) {
  const auto device = device::sim::make_sim_device(machine(latency));
  constexpr std::uint32_t turns = 12;
  ArgumentData number{std::vector<std::byte>(4), false};
  std::memcpy(number.bytes.data(), &turns, 4);
  const Code made = code(memory_ratio, 5);
  const auto module = std::make_shared<ptx::Module>(ptx::parse(made.text, "a synthetic kernel"));
  Kernel kernel(*device, {"synthetic",
                          module,
                          "synthetic",
                          {.grid = {1}, .block = {warps * warp}},
                          {{std::vector<std::byte>(256), true}, number}});
  device::sim::SteppedMachine stepped(*device);
  stepped.launch(kernel.function(), kernel.config(), {0, 1}, kernel.arguments());
  while (!stepped.idle()) stepped.advance();
  const device::sim::KernelStatistics counted = stepped.take_ended().front().statistics;
  return {static_cast<double>(counted.sm.warp_instructions) / static_cast<double>(counted.cycles()), made.memory_ratio};
}

// Of the 30, 28 are within 0.02.
TEST(SyntheticKernels, TheModelIsNearToTheSimulatedSm) {
  double sum = 0;
  int count = 0;
  for (const unsigned latency : {100u, 400u})
    for (const unsigned warps : {1u, 4u, 8u, 16u, 32u})
      for (const double ratio : {.02, .1, .3}) {
        const Measured measured = run(warps, ratio, latency);
        const model::SmModel sm{.latency = {.base = static_cast<double>(latency)}};
        const double modelled = model::solo_ipc(sm, {.memory_ratio = measured.memory_ratio}, warps);
        EXPECT_NEAR(measured.ipc, modelled, .025) << warps << " warps, " << ratio << ", " << latency << " cycles";
        sum += std::abs(measured.ipc - modelled);
        ++count;
      }
  EXPECT_LT(sum / count, .015);
}

}  // namespace
}  // namespace heddle::batch
