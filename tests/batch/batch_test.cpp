// Batches on a small simulated GPU: profiles, policies, results, and which blocks share an SM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include "batch/constants.hpp"
#include "batch/count.hpp"
#include "batch/machine_model.hpp"
#include "batch/profile.hpp"
#include "batch/rates.hpp"
#include "batch/replay.hpp"
#include "batch/run.hpp"
#include "device/cpu/cpu.hpp"
#include "device/interp/interp.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/stepped.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "sched/make_policy.hpp"
#include "sched/policy/kernelet.hpp"

namespace heddle::batch {
namespace {

// Each thread adds its number, its block's and the grid's size, in a loop of arithmetic or of loads; thread 0 of each
// block writes the SM and when the block began and ended.
constexpr const char* kernels = R"(.version 6.0
.target sm_20
.address_size 64
.visible .entry compute(.param .u64 data, .param .u64 out, .param .u64 trace, .param .u32 turns)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  mov.u64 %rd9, %clock64;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [trace];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %nctaid.x;
  mad.lo.u32 %r6, %r3, %r4, %r2;
  add.u32 %r7, %r6, %r5;
turn:
  mad.lo.u32 %r7, %r7, 1664525, 1013904223;
  xor.b32 %r7, %r7, %r3;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra turn;
  mul.wide.u32 %rd3, %r6, 4;
  add.u64 %rd3, %rd1, %rd3;
  st.global.u32 [%rd3], %r7;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 ret;
  mov.u64 %rd10, %clock64;
  mov.u32 %r8, %smid;
  cvt.u64.u32 %rd11, %r8;
  mul.wide.u32 %rd4, %r3, 24;
  add.u64 %rd4, %rd2, %rd4;
  st.global.u64 [%rd4], %rd11;
  st.global.u64 [%rd4+8], %rd9;
  st.global.u64 [%rd4+16], %rd10;
  ret;
}
.visible .entry load(.param .u64 data, .param .u64 out, .param .u64 trace, .param .u32 turns)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  mov.u64 %rd9, %clock64;
  ld.param.u64 %rd12, [data];
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [trace];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r6, %r3, %r4, %r2;
  mov.u32 %r7, %r6;
turn:
  mad.lo.u32 %r9, %r7, 1664525, 1013904223;
  and.b32 %r9, %r9, 65532;
  cvt.u64.u32 %rd5, %r9;
  add.u64 %rd5, %rd12, %rd5;
  ld.global.u32 %r10, [%rd5];
  add.u32 %r7, %r7, %r10;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra turn;
  mul.wide.u32 %rd3, %r6, 4;
  add.u64 %rd3, %rd1, %rd3;
  st.global.u32 [%rd3], %r7;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 ret;
  mov.u64 %rd10, %clock64;
  mov.u32 %r8, %smid;
  cvt.u64.u32 %rd11, %r8;
  mul.wide.u32 %rd4, %r3, 24;
  add.u64 %rd4, %rd2, %rd4;
  st.global.u64 [%rd4], %rd11;
  st.global.u64 [%rd4+8], %rd9;
  st.global.u64 [%rd4+16], %rd10;
  ret;
}
.visible .entry plain(.param .u64 data)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r3, [%rd1+128];
  add.u32 %r4, %r2, %r3;
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+256], %r4;
  ret;
}
)";

constexpr unsigned threads = 128;

template <class T>
ArgumentData array(std::size_t count, std::uint32_t seed = 0) {
  ArgumentData data{std::vector<std::byte>(count * sizeof(T)), true};
  std::mt19937 random(seed);
  if (seed != 0)
    for (std::byte& byte : data.bytes) byte = static_cast<std::byte>(random());
  return data;
}

struct BlockTrace {
  std::uint64_t sm, begin, end;
};

class BatchTest : public testing::Test {
 protected:
  BatchTest() {
    device::sim::SimOptions options = device::sim::parse_sim_options("sim:fermi-c2050");
    options.machine.sms = 2;
    device = device::sim::make_sim_device(options);
    module = std::make_shared<ptx::Module>(ptx::parse(kernels, "the test's kernels"));
    corun = corun_of(options.machine, {.base = 500, .per_request = 10, .uncoalesced_base = 500});
  }
  std::unique_ptr<Kernel> make(const std::string& entry, unsigned blocks, std::uint32_t turns) {
    ArgumentData number{std::vector<std::byte>(4), false};
    std::memcpy(number.bytes.data(), &turns, 4);
    return std::make_unique<Kernel>(*device,
                                    KernelSpec{entry,
                                               module,
                                               entry,
                                               {.grid = {blocks}, .block = {threads}},
                                               {array<std::uint32_t>(16384, 5), array<std::uint32_t>(blocks * threads),
                                                array<BlockTrace>(blocks), number}});
  }
  // What the model would need, without a profile.
  void give_traits(Kernel& kernel, double ipc) {
    kernel.traits.emplace();
    kernel.traits->id = kernel.id();
    kernel.traits->kernel.needs = {.threads = threads, .registers = 16};
    kernel.traits->kernel.block_instructions = 400;
    kernel.traits->alone_ipc = ipc;
  }
  std::vector<BlockTrace> traces(Kernel& kernel) {
    const std::vector<std::byte> bytes = kernel.read(2);
    std::vector<BlockTrace> made(bytes.size() / sizeof(BlockTrace));
    std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
  }

  std::unique_ptr<device::Device> device;
  std::shared_ptr<ptx::Module> module;
  sched::CoRunDevice corun;
};

// 10 instructions, 3 of them accesses of global memory, of which none makes several requests.
TEST_F(BatchTest, ProfileCountsExactly) {
  Kernel kernel(*device, {"plain", module, "plain", {.grid = {64}, .block = {threads}}, {array<std::uint32_t>(256)}});
  const sched::KernelTraits traits = profile(*make_simulated_profiler(*device), kernel, corun, {.rounds = 1});
  EXPECT_EQ(traits.kernel.block_instructions, 10.0 * threads / 32);
  EXPECT_DOUBLE_EQ(traits.kernel.profile.memory_ratio, .3);
  EXPECT_EQ(traits.kernel.profile.uncoalesced, 0);
  EXPECT_DOUBLE_EQ(traits.kernel.profile.accesses_per_wait, 3) << "both loads are under way when the warp waits";
  EXPECT_GT(traits.alone_ipc, 0);
  EXPECT_LE(traits.kernel.pipeline_use, 1);
  EXPECT_TRUE(kernel.divisible()) << kernel.why_whole();
}

// What is measured on a GPU can be measured on any device that runs kernels; the CPU is always there.
TEST_F(BatchTest, ProfilesOfRealDevicesAreMeasuredInTheirTime) {
  const auto cpu = device::cpu::make_cpu_device({.workers = 2, .pin = false, .cache = false});
  EXPECT_THROW(make_profiler(*cpu, base::process_watcher()), Error) << "the CPU has no SMs that kernels share";
  const auto profiler = make_gpu_profiler(*cpu, base::process_watcher());
  Kernel kernel(*cpu, {"plain", module, "plain", {.grid = {64}, .block = {threads}}, {array<std::uint32_t>(256)}});
  const sched::CoRunDevice real = profiler->corun({.base = 500, .per_request = 10, .uncoalesced_base = 500});
  EXPECT_GT(real.launch_cycles, 0);
  const sched::KernelTraits traits = profile(*profiler, kernel, real, {.rounds = 1});
  EXPECT_EQ(traits.kernel.block_instructions, 10.0 * threads / 32);
  EXPECT_DOUBLE_EQ(traits.kernel.profile.memory_ratio, .3);
  EXPECT_GT(traits.alone_ipc, 0);
  EXPECT_GE(traits.kernel.memory_use, 0);
  EXPECT_LE(traits.kernel.memory_use, 1);
  Kernel other(*cpu, {"plain", module, "plain", {.grid = {48}, .block = {2 * threads}}, {array<std::uint32_t>(512)}});
  const std::vector<Share> both{{&kernel, 2, {4, 3, 4}}, {&other, 1, {2, 3, 2}}};
  const std::vector<SteadyRate> rates = profiler->steady_rates(both, 2);
  ASSERT_EQ(rates.size(), 2u);
  EXPECT_GT(rates[0].blocks, 0);
  EXPECT_GT(rates[1].blocks, 0);
}

// The counting copy of a kernel gives on each device what the simulator's pipeline counts.
TEST_F(BatchTest, CountsAreThoseOfThePipelineOnEveryDevice) {
  const auto interp = device::interp::make_interp_device({});
  const auto cpu = device::cpu::make_cpu_device({.workers = 2, .pin = false, .cache = false});
  const KernelSpec plain{"plain", module, "plain", {.grid = {64}, .block = {threads}}, {array<std::uint32_t>(256)}};
  for (device::Device* const any : {device.get(), interp.get(), cpu.get()}) {
    const BlockCounts counts = count_blocks(*any, plain, 8);
    EXPECT_EQ(counts.instructions, 10.0 * threads) << any->info().id;
    EXPECT_EQ(counts.accesses, 3.0 * threads) << any->info().id;
    EXPECT_DOUBLE_EQ(counts.memory_ratio(), .3);
  }
  // 10 instructions, then `turns` times 5, then 5 by all threads and 8 by one; the loop has no access.
  constexpr std::uint32_t turns = 20;
  ArgumentData number{std::vector<std::byte>(4), false};
  std::memcpy(number.bytes.data(), &turns, 4);
  const KernelSpec loop{
      "compute",
      module,
      "compute",
      {.grid = {8}, .block = {threads}},
      {array<std::uint32_t>(16384, 5), array<std::uint32_t>(8 * threads), array<BlockTrace>(8), number}};
  for (device::Device* const any : {device.get(), interp.get(), cpu.get()}) {
    const BlockCounts counts = count_blocks(*any, loop, 3);
    EXPECT_EQ(counts.instructions, threads * (10.0 + 5 * turns + 5) + 9) << any->info().id;
    EXPECT_EQ(counts.accesses, threads * 1.0 + 3) << any->info().id;
  }
}

TEST_F(BatchTest, LatencyIsTheMachines) {
  const model::MemoryLatency latency = measure_latency(*device);
  // An L1 hit of the GTX 480's description, and DRAM beyond two ways through the crossbar.
  EXPECT_GT(latency.hit, 20);
  EXPECT_GT(latency.base, 300);
  EXPECT_LT(latency.base, 900);
  EXPECT_GT(latency.per_request, 0);
}

// Every policy gives what every other one gives, bit for bit, and each job its time.
TEST_F(BatchTest, ResultsAreTheSameUnderAllPolicies) {
  std::vector<std::vector<std::byte>> first;
  for (const char* const name :
       {"serial", "base", "base:2", "kernelet", "kernelet:constant", "slice:3", "mc:1", "mc:2", "mc:3", "mc:4"}) {
    const auto compute = make("compute", 37, 20), load = make("load", 29, 6);
    give_traits(*compute, .9);
    give_traits(*load, .1);
    load->traits->kernel.profile.memory_ratio = .2;
    std::vector<Job> jobs;
    for (std::uint64_t i = 0; i < 3; ++i) {
      jobs.push_back({compute.get(), i * 5000});
      jobs.push_back({load.get(), i * 7000});
    }
    const auto executor = make_simulated_executor(*device);
    const BatchResult result = run_batch(*executor, jobs, sched::make_policy(name), &corun);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_GE(result.jobs[i].begin_ns + 1000, jobs[i].arrival_ns) << name;
      EXPECT_GT(result.jobs[i].end_ns, result.jobs[i].begin_ns) << name;
    }
    EXPECT_GE(result.ranges, jobs.size());
    const std::vector<std::vector<std::byte>> now = {compute->read(1), load->read(1)};
    if (first.empty()) first = now;
    EXPECT_EQ(now, first) << name;
  }
}

// Blocks of both kernels share SMs for most of the time, at the chosen numbers (harder check 2).
TEST_F(BatchTest, BlocksOfBothKernelsShareSms) {
  const auto compute = make("compute", 64, 200), load = make("load", 64, 20);
  give_traits(*compute, .9);
  give_traits(*load, .1);
  const bool in_order = compute->id() < load->id();
  sched::MeasuredRates::Table table;
  table[{std::min(compute->id(), load->id()), std::max(compute->id(), load->id())}] = {{4, 4, {.5, .5}}};
  sched::KerneletOptions options;
  options.prune = false;
  const auto executor = make_simulated_executor(*device);
  const BatchResult result = run_batch(
      *executor, {{compute.get(), 0}, {load.get(), 0}},
      std::make_unique<sched::KerneletPolicy>(std::make_unique<sched::MeasuredRates>(table), options), &corun);
  ASSERT_FALSE(result.reasons.empty());
  EXPECT_THAT(result.reasons.front().text, testing::HasSubstr("4 and 4 blocks on each SM")) << in_order;
  const std::vector<BlockTrace> a = traces(*compute), b = traces(*load);
  std::size_t shared = 0;
  for (const BlockTrace& one : a)
    shared += std::any_of(b.begin(), b.end(), [&](const BlockTrace& other) {
      return one.sm == other.sm && one.begin < other.end && other.begin < one.end;
    });
  EXPECT_GE(shared, 32u) << "of 64 blocks";
  // Never more at once than an SM holds, and both kinds at about their number.
  for (const BlockTrace& one : a) {
    const auto at_once = [&](const std::vector<BlockTrace>& all) {
      return std::count_if(all.begin(), all.end(), [&](const BlockTrace& other) {
        return other.sm == one.sm && other.begin <= one.begin && one.begin < other.end;
      });
    };
    EXPECT_LE(at_once(a) + at_once(b), 8);
  }
}

TEST_F(BatchTest, ReplayTakesWhatTheRatesSay) {
  const auto compute = make("compute", 64, 20), load = make("load", 64, 6);
  give_traits(*compute, .8);
  give_traits(*load, .2);
  sched::MeasuredRates::Table table;
  const auto executor = make_replay_executor(corun, table, 2, 1000, 0);
  const BatchResult serial =
      run_batch(*executor, {{compute.get(), 0}, {load.get(), 0}}, sched::make_policy("serial"), &corun);
  // 64 blocks of 400 instructions on 2 SMs: 16,000 cycles at 0.8, then 64,000 at 0.2; a cycle is a nanosecond.
  EXPECT_NEAR(static_cast<double>(serial.total_ns), 80'000, 10);
  const bool in_order = compute->id() < load->id();
  table[{std::min(compute->id(), load->id()), std::max(compute->id(), load->id())}] = {
      {4, 4, in_order ? model::PairIpc{.6, .2} : model::PairIpc{.2, .6}}};
  const auto together = make_replay_executor(corun, table, 2, 1000, 0);
  const BatchResult both =
      run_batch(*together, {{compute.get(), 0}, {load.get(), 0}}, sched::make_policy("base"), &corun);
  // compute needs 21,333 cycles, while load has done a third of its own; the rest goes on at 0.2.
  EXPECT_NEAR(static_cast<double>(both.total_ns), 64'000, 10);
}

// Times of so many nanoseconds have no exact double, and what was waited for never came.
TEST_F(BatchTest, JobsMayArriveYearsLater) {
  const auto compute = make("compute", 4, 2);
  give_traits(*compute, .8);
  constexpr std::uint64_t year_ns = 31'557'600'000'000'000;
  for (const bool replayed : {false, true}) {
    const auto executor = replayed ? make_replay_executor(corun, {}, 2, 1401.3, 0) : make_simulated_executor(*device);
    const std::vector<Job> jobs = {{compute.get(), 7}, {compute.get(), year_ns + 1}, {compute.get(), 31 * year_ns + 3}};
    const BatchResult result = run_batch(*executor, jobs, sched::make_policy("serial"), &corun);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_GE(result.jobs[i].begin_ns, jobs[i].arrival_ns) << replayed;
      EXPECT_LT(result.jobs[i].end_ns, jobs[i].arrival_ns + 1'000'000) << replayed;
    }
  }
}

TEST_F(BatchTest, ArrivalsAreTheSameForASeed) {
  const auto times = poisson_arrivals(1000, 2000, 3);
  EXPECT_EQ(times, poisson_arrivals(1000, 2000, 3));
  EXPECT_NE(times, poisson_arrivals(1000, 2000, 4));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_NEAR(static_cast<double>(times.back()) * 1e-9, 2, .2) << "2000 at 1000 a second";
}

TEST_F(BatchTest, QueuesOfADeviceRunTheSame) {
  const auto compute = make("compute", 37, 20);
  const auto run = [&](std::unique_ptr<Executor> executor, const char* policy) {
    compute->reset();
    run_batch(*executor, {{compute.get(), 0}, {compute.get(), 1000}}, sched::make_policy(policy), nullptr);
    executor.reset();
    return compute->read(1);
  };
  const auto expected = run(make_simulated_executor(*device), "serial");
  EXPECT_EQ(run(make_queue_executor(*device, base::process_watcher()), "slice:5"), expected);
  EXPECT_EQ(run(make_queue_executor(*device, base::process_watcher()), "base"), expected);
}

TEST_F(BatchTest, WrongArgumentsAreRefused) {
  const auto message = [&](std::vector<ArgumentData> arguments) -> std::string {
    try {
      Kernel(*device, {"k", module, "plain", {.grid = {1}, .block = {32}}, std::move(arguments)});
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message({}), testing::HasSubstr("has 1 parameters, and 0 arguments are given"));
  EXPECT_THAT(message({{std::vector<std::byte>(4), false}}), testing::HasSubstr("argument 1 has 4 bytes"));
}

}  // namespace
}  // namespace heddle::batch
