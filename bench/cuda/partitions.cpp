// What partitions do not promise, measured: whether two of them work at the same time, also when one is busy with many
// launches, and what kernels that share no SM still take from each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "gpu.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;

constexpr const char* source = R"ptx(
.version 7.0
.target sm_70
.address_size 64
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
// Reads `turns` times 16 bytes a thread, one grid's width apart.
.visible .entry stream(.param .u64 p_data, .param .u32 p_turns) {
  .reg .pred %p<2>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p_data];
  ld.param.u32 %r1, [p_turns];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r4, %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r4, 16;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r5, %r5, %r3;
  mul.wide.u32 %rd3, %r5, 16;
  mov.u32 %r10, 0;
turn:
  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1];
  add.u64 %rd1, %rd1, %rd3;
  xor.b32 %r10, %r10, %r6;
  xor.b32 %r10, %r10, %r9;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra turn;
  setp.ne.u32 %p1, %r10, 12345;
  @%p1 bra done;
  ld.param.u64 %rd1, [p_data];
  st.global.u32 [%rd1], %r10;
done:
  ret;
}
)ptx";

// A part of the GPU with a queue of its own.
struct Half {
  std::unique_ptr<device::Partition> partition;
  std::unique_ptr<device::Queue> queue;
};

std::array<Half, 2> halves(Gpu& gpu) {
  const unsigned each = gpu.device->info().processors / 4 * 2;
  std::array<Half, 2> made;
  for (unsigned h = 0; h < 2; ++h) {
    std::vector<unsigned> processors(each);
    std::iota(processors.begin(), processors.end(), h * each);
    made[h].partition = gpu.device->partition({processors});
    made[h].queue = gpu.device->queue({.partition = made[h].partition.get()});
  }
  return made;
}

// Chains of launches that fill their half: both at once against one after the other. 2: full overlap; 1: none.
void overlap(Gpu& gpu, device::Module& module, Results& results) {
  auto& function = module.function("spin");
  function.prepare({1024});
  std::array<Half, 2> parts = halves(gpu);
  for (const double microseconds : {10.0, 100.0, 1000.0}) {
    const auto arguments = pack(function, static_cast<std::uint64_t>(microseconds * 1e3));
    const std::uint32_t blocks = gpu.device->info().processors / 4 * 2 * 2;  // two of 1024 threads fill an SM
    const int chain = microseconds < 1000 ? 50 : 10;
    const auto put = [&](Half& half) {
      half.queue->launch(function, {.grid = {blocks}, .block = {1024}}, {0, blocks}, arguments);
    };
    const auto together = [&] {
      for (int i = 0; i < chain; ++i)
        for (Half& half : parts) put(half);
      for (Half& half : parts) half.queue->synchronize();
    };
    const auto in_turn = [&] {
      for (Half& half : parts) {
        for (int i = 0; i < chain; ++i) put(half);
        half.queue->synchronize();
      }
    };
    const Paired paired = run_paired(together, in_turn, 31, 3);
    results.add({fmt::format("two halves at once, launches of {:.0f} us", microseconds),
                 paired.ratio,
                 "x",
                 {},
                 "one after the other"});
  }
}

// How many disjoint partitions of two SMs, each with a queue and a launch of 2 ms, are at work at the same time.
void many(Gpu& gpu, device::Module& module, Results& results) {
  auto& function = module.function("spin");
  const auto arguments = pack(function, std::uint64_t{2'000'000});
  const unsigned pairs = std::min(60u, gpu.device->info().processors / 2);
  std::vector<Half> parts(pairs);
  for (unsigned i = 0; i < pairs; ++i) {
    parts[i].partition = gpu.device->partition({{2 * i, 2 * i + 1}});
    parts[i].queue = gpu.device->queue({.partition = parts[i].partition.get()});
  }
  const auto run = [&](unsigned count) {
    const double start = seconds();
    for (unsigned i = 0; i < count; ++i)
      parts[i].queue->launch(function, {.grid = {4}, .block = {1024}}, {0, 4}, arguments);
    for (unsigned i = 0; i < count; ++i) parts[i].queue->synchronize();
    return seconds() - start;
  };
  run(pairs);
  for (const unsigned count : {2u, 8u, 16u, 32u, pairs}) {
    std::vector<double> took;
    for (int i = 0; i < 11; ++i) took.push_back(run(count));
    results.add({fmt::format("{} partitions of 2 SMs, each with 2 ms of work, at work at once", count),
                 2e-3 * count / median(took),
                 "partitions",
                 {},
                 fmt::format("{} at most", count)});
  }
}

// A kernel bound by memory in one half, alone and beside its like in the other half.
void shared_memory_system(Gpu& gpu, device::Module& module, Results& results) {
  auto& function = module.function("stream");
  function.prepare({256});
  std::array<Half, 2> parts = halves(gpu);
  const std::uint32_t blocks = gpu.device->info().processors / 4 * 2 * 8;
  // A working set that only the GPU's memory holds, and one that fits its L2 cache beside the other's.
  for (const auto& [name, turns, rounds] : {std::tuple{"GPU memory", 1024u, 1}, std::tuple{"L2 cache", 4u, 100}}) {
    const std::size_t bytes = std::size_t{blocks} * 256 * 16 * turns;
    const std::array<std::unique_ptr<device::Memory>, 2> data = {gpu.device->allocate(bytes),
                                                                 gpu.device->allocate(bytes)};
    const auto put = [&](unsigned h) {
      const auto arguments = pack(function, data[h]->span().address, turns);
      for (int i = 0; i < rounds; ++i)
        parts[h].queue->launch(function, {.grid = {blocks}, .block = {256}}, {0, blocks}, arguments);
    };
    const auto both = [&] {
      put(0);
      put(1);
      parts[0].queue->synchronize();
      parts[1].queue->synchronize();
    };
    const auto alone = [&] {
      put(0);
      parts[0].queue->synchronize();
    };
    const Paired paired = run_paired(both, alone, 31, 3);
    results.add({fmt::format("half that reads {}, alone", name),
                 static_cast<double>(bytes) * rounds / paired.second / 1e9,
                 "GB/s",
                 {},
                 ""});
    results.add({fmt::format("half that reads {}, beside its like: time over alone", name),
                 1 / paired.ratio,
                 "x",
                 {},
                 "1.0: undisturbed"});
  }
}

}  // namespace

int main() {
  auto gpu = open_gpu();
  if (!gpu) return 0;
  Results results("cuda");
  results.also_on(gpu->text());
  const auto module = load_text(*gpu, source);
  bool failed = false;
  for (auto* part : {&overlap, &many, &shared_memory_system}) {
    try {
      part(*gpu, *module, results);
    } catch (const std::exception& error) {  // what the others have measured counts
      fmt::print("FAILED: {}\n", error.what());
      failed = true;
    }
  }
  return results.finish() | (failed ? 1 : 0);
}
