// What it costs to start, move and stop work on a GPU: launches against a bare cuLaunchKernel loop, partitions that
// change from one launch to the next, and launches that are stopped between their blocks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "gpu.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
namespace driver = device::cuda::driver;

constexpr const char* source = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry four(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) { ret; }
// Every thread spins for so many nanoseconds.
.visible .entry spin(.param .u64 p_ns) {
  .reg .pred %p<2>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p_ns];
  mov.u64 %rd2, %globaltimer;
turn:
  mov.u64 %rd3, %globaltimer;
  sub.u64 %rd4, %rd3, %rd2;
  setp.lt.u64 %p1, %rd4, %rd1;
  @%p1 bra turn;
  ret;
}
// Every thread counts to n: blocks of a duration that no clock's grain rounds.
.visible .entry count(.param .u64 out, .param .u32 n) {
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.u32 %r3, %tid.x;
turn:
  mad.lo.u32 %r3, %r3, 1664525, 1013904223;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra turn;
  setp.ne.u32 %p2, %r3, 12345;
  @%p2 bra done;
  st.global.u32 [%rd1], %r3;
done:
  ret;
}
)ptx";

constexpr int launches_each = 2000, rounds = 41;

// Seconds of one launch, back to back, of an empty kernel with four arguments.
void launch_overhead(Gpu& gpu, device::Module& module, Results& results) {
  const driver::Address x = 0x1000, y = 0x2000;
  auto& function = module.function("four");
  function.prepare({1});
  const auto queue = gpu.device->queue({});
  const auto arguments = pack(function, 5u, 2.0f, x, y);
  const auto ours = [&] {
    for (int i = 0; i < launches_each; ++i) queue->launch(function, {}, {0, 1}, arguments);
    queue->synchronize();
  };
  const auto& cuda = *gpu.driver;
  driver::ModuleHandle bare_module = nullptr;
  driver::FunctionHandle bare = nullptr;
  driver::Stream stream = nullptr;
  check(gpu, cuda.module_load(&bare_module, source, 0, nullptr, nullptr), "loading the module");
  check(gpu, cuda.module_function(&bare, bare_module, "four"), "finding the kernel");
  check(gpu, cuda.stream_create(&stream, driver::stream_non_blocking, 0), "making a stream");
  unsigned n = 5;
  float a = 2;
  driver::Address px = x, py = y;
  const auto theirs = [&] {
    void* pointers[] = {&n, &a, &px, &py};
    for (int i = 0; i < launches_each; ++i)
      check(gpu, cuda.launch(bare, 1, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr), "launching");
    check(gpu, cuda.stream_synchronize(stream), "waiting");
  };
  const Paired paired = run_paired(ours, theirs, rounds, 5);
  results.add({"launch, back to back", paired.first / launches_each * 1e6, "us", {}, ""});
  results.add({"launch, back to back, bare", paired.second / launches_each * 1e6, "us", {}, "cuLaunchKernel"});
  results.add({"launch over the bare driver's", 1 / paired.ratio, "x", at_most(1.10), "cuLaunchKernel"});
  const auto ours_alone = [&] {
    queue->launch(function, {}, {0, 1}, arguments);
    queue->synchronize();
  };
  const auto theirs_alone = [&] {
    void* pointers[] = {&n, &a, &px, &py};
    check(gpu, cuda.launch(bare, 1, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr), "launching");
    check(gpu, cuda.stream_synchronize(stream), "waiting");
  };
  const Paired alone = run_paired(ours_alone, theirs_alone, 2001, 100);
  results.add({"launch to completion", alone.first * 1e6, "us", {}, ""});
  results.add({"launch to completion, bare", alone.second * 1e6, "us", {}, "cuLaunchKernel"});
  check(gpu, cuda.stream_destroy(stream), "ending a stream");
  check(gpu, cuda.module_unload(bare_module), "unloading");
}

// Kernels of about 10 us in one queue that stay in a partition, or change it from one to the next.
void partition_switch(Gpu& gpu, device::Module& module, Results& results) {
  const auto first = gpu.device->partition({{0, 1, 2, 3, 4, 5, 6, 7}});
  const auto second = gpu.device->partition({{8, 9, 10, 11, 12, 13, 14, 15}});
  auto& function = module.function("spin");
  function.prepare({32});
  const auto queue = gpu.device->queue({});
  const auto arguments = pack(function, std::uint64_t{10'000});
  constexpr int chain = 100;
  const auto run = [&](bool change) {
    for (int i = 0; i < chain; ++i) {
      queue->set_partition(change && i % 2 == 1 ? second.get() : first.get());
      queue->launch(function, {.grid = {8}, .block = {32}}, {0, 8}, arguments);
    }
    queue->synchronize();
  };
  const Paired paired = run_paired([&] { run(true); }, [&] { run(false); }, 101, 5);
  results.add({"kernel of 10 us, same partition", paired.second / chain * 1e6, "us", {}, ""});
  results.add({"kernel of 10 us, another partition each time", paired.first / chain * 1e6, "us", {}, ""});
  results.add({"partition switch between two launches, added", (paired.first - paired.second) / chain * 1e6, "us",
               at_most(20), ""});
  std::vector<double> made;
  for (unsigned i = 0; i < 20; ++i) {
    const double start = seconds();
    const auto partition = gpu.device->partition({{2 * i + 20, 2 * i + 21}});
    made.push_back(seconds() - start);
  }
  results.add({"making a partition for the first time", median(made) * 1e6, "us", {}, ""});
}

// From the host's call of stop() until the host knows that the launch has ended; blocks of 10 and of 50 us.
void stopping(Gpu& gpu, device::Module& module, Results& results) {
  auto& function = module.function("count");
  const auto queue = gpu.device->queue({});
  const auto out = gpu.device->allocate(4);
  constexpr std::uint32_t blocks = 4'000'000;
  const device::LaunchConfig config{.grid = {blocks}, .block = {256}};
  // How many turns a block of so many microseconds has, on a full GPU.
  const auto time_of = [&](std::uint32_t turns) {
    const auto arguments = pack(function, out->span().address, turns);
    const std::uint64_t resident = std::uint64_t{gpu.device->info().processors} * 8;
    const auto run = [&] {
      const double start = seconds();
      queue->launch(function, config, {0, resident * 20}, arguments);
      queue->synchronize();
      return seconds() - start;
    };
    run();
    std::vector<double> samples;
    for (int i = 0; i < 9; ++i) samples.push_back(run() / 20);
    return median(samples);
  };
  const double per_turn = (time_of(20'000) - time_of(2'000)) / 18'000;
  for (const double microseconds : {10.0, 50.0}) {
    const auto turns = static_cast<std::uint32_t>(microseconds * 1e-6 / per_turn);
    const auto arguments = pack(function, out->span().address, turns);
    std::vector<double> took;
    for (int i = 0; i < 41; ++i) {
      const auto launch = queue->launch_stoppable(function, config, {0, blocks}, arguments);
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const double start = seconds();
      launch->stop();
      queue->synchronize();
      took.push_back(seconds() - start);
      if (launch->rest().empty()) throw std::runtime_error("the launch had ended before it was stopped");
    }
    const std::string what = fmt::format("blocks of {:.0f} us", microseconds);
    results.add({"stop to idle, " + what + ", median", median(took) * 1e6, "us", at_most(100), ""});
    results.add(
        {"stop to idle, " + what + ", longest of 41", *std::max_element(took.begin(), took.end()) * 1e6, "us", {}, ""});
    // What it costs to be stoppable when nobody stops.
    const BlockRange part{0, 100'000};
    const Paired paired = run_paired(
        [&] {
          queue->launch_stoppable(function, config, part, arguments);
          queue->synchronize();
        },
        [&] {
          queue->launch(function, config, part, arguments);
          queue->synchronize();
        },
        15);
    results.add({"stoppable launch over a plain one, " + what, 1 / paired.ratio, "x", {}, "plain launch"});
  }
}

}  // namespace

int main() {
  auto gpu = open_gpu();
  if (!gpu) return 0;
  Results results("cuda");
  results.also_on(gpu->text());
  const auto module = load_text(*gpu, source, true);
  bool failed = false;
  for (auto* part : {&launch_overhead, &partition_switch, &stopping}) {
    try {
      part(*gpu, *module, results);
    } catch (const std::exception& error) {  // what the others have measured counts
      fmt::print("FAILED: {}\n", error.what());
      failed = true;
    }
  }
  return results.finish() | (failed ? 1 : 0);
}
