#include "batch/constants.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "batch/kernel.hpp"
#include "ptx/parser.hpp"

namespace heddle::batch {
namespace {

constexpr unsigned warp = 32;
constexpr std::size_t area = std::size_t{16} << 20;  // bytes: more than caches hold
constexpr unsigned loads = 24;                       // of a warp

// Each warp walks over lines by a linear congruence. What it loads is zero, and part of the next address. Without loads
// the same loop gives what the arithmetic takes. The address is used at the end: else compilers leave the loads out.
constexpr const char* chase = R"(.version 6.0
.target sm_20
.address_size 64
.visible .entry chase(.param .u64 memory, .param .u32 mask, .param .u32 loads, .param .u32 stride, .param .u32 with, .param .u64 cycles)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [memory];
  ld.param.u32 %r1, [mask];
  ld.param.u32 %r2, [loads];
  ld.param.u32 %r3, [stride];
  ld.param.u32 %r4, [with];
  ld.param.u64 %rd2, [cycles];
  mov.u32 %r5, %tid.x;
  mov.u32 %r6, %ctaid.x;
  mov.u32 %r7, %ntid.x;
  mad.lo.u32 %r8, %r6, %r7, %r5;
  and.b32 %r9, %r5, 31;
  mul.lo.u32 %r9, %r9, %r3;
  shr.u32 %r10, %r8, 5;
  mul.lo.u32 %r10, %r10, 747796405;
  setp.ne.u32 %p1, %r4, 0;
  not.b32 %r11, 0;
  mov.u64 %rd4, %clock64;
again:
  mad.lo.u32 %r10, %r10, 1664525, 1013904223;
  shr.u32 %r12, %r10, 2;
  and.b32 %r12, %r12, -128;
  add.u32 %r12, %r12, %r9;
  and.b32 %r12, %r12, %r1;
  cvt.u64.u32 %rd5, %r12;
  add.u64 %rd5, %rd1, %rd5;
  mov.u32 %r13, 0;
  @%p1 ld.global.u32 %r13, [%rd5];
  add.u32 %r10, %r10, %r13;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra again;
  mov.u64 %rd6, %clock64;
  sub.u64 %rd6, %rd6, %rd4;
  setp.eq.u32 %p3, %r11, %r10;
  @%p3 st.global.u32 [%rd1], %r10;
  mul.wide.u32 %rd8, %r8, 8;
  add.u64 %rd8, %rd2, %rd8;
  st.global.u64 [%rd8], %rd6;
  ret;
}
)";

template <class T>
ArgumentData scalar(T value) {
  ArgumentData data{std::vector<std::byte>(sizeof value), false};
  std::memcpy(data.bytes.data(), &value, sizeof value);
  return data;
}

struct Chase {
  device::Device& device;
  std::shared_ptr<const ptx::Module> module = std::make_shared<ptx::Module>(ptx::parse(chase, "the pointer chase"));

  // Mean cycles of a turn of the loop, with a block of so many warps on each SM.
  double turn(unsigned warps, unsigned stride, bool with, std::uint32_t bytes = area) {
    const unsigned blocks = std::max(1u, device.info().processors);
    KernelSpec spec{"chase", module, "chase", {.grid = {blocks}, .block = {warps * warp}}, {}};
    spec.arguments = {{std::vector<std::byte>(area), true},
                      scalar<std::uint32_t>(bytes - sizeof(std::uint32_t)),
                      scalar<std::uint32_t>(loads),
                      scalar<std::uint32_t>(stride),
                      scalar<std::uint32_t>(with ? 1 : 0),
                      {std::vector<std::byte>(std::size_t{blocks} * warps * warp * sizeof(std::uint64_t)), true}};
    Kernel kernel(device, spec);
    const auto queue = device.queue({});
    queue->launch(kernel.function(), kernel.config(), {0, blocks}, kernel.arguments());
    queue->synchronize();
    const std::vector<std::byte> read = kernel.read(spec.arguments.size() - 1);
    std::vector<std::uint64_t> cycles(read.size() / sizeof(std::uint64_t));
    std::memcpy(cycles.data(), read.data(), read.size());
    const double sum = std::accumulate(cycles.begin(), cycles.end(), 0.0);
    return sum / static_cast<double>(cycles.size()) / loads;
  }
};

// Latency where caches hold all. The first turns fill them; the mean of many has few of these.
double hit_latency(Chase& chase) {
  constexpr unsigned little = 1024;  // bytes: a few lines
  constexpr unsigned warps = 1, word = 4;
  return std::max(1.0, chase.turn(warps, word, true, little) - chase.turn(warps, word, false, little));
}

struct Load {
  double latency = 0;  // cycles
  double waiting = 0;  // warps of an SM that wait, on the mean
};

Load measure(Chase& chase, unsigned warps, unsigned stride) {
  const double with = chase.turn(warps, stride, true), without = chase.turn(warps, stride, false);
  const double latency = std::max(1.0, with - without);
  return {latency, warps * latency / with};
}

}  // namespace

model::MemoryLatency measure_latency(device::Device& device) {
  constexpr unsigned word = 4, line = 128, some = 8, most = 24;
  const unsigned many = std::min(most, device.info().max_threads_per_block / warp);
  Chase chase{device};
  const Load alone = measure(chase, 1, word), loaded = measure(chase, many, word);
  const Load alone_wide = measure(chase, 1, line), loaded_wide = measure(chase, some, line);
  model::MemoryLatency latency;
  // The bandwidth shows where requests queue; of both kinds of accesses, the one that queues more.
  const double narrow = (loaded.latency - alone.latency) / (loaded.waiting - alone.waiting);
  const double wide = (loaded_wide.latency - alone_wide.latency) / (loaded_wide.waiting - alone_wide.waiting) / warp;
  latency.per_request = std::max({0.0, narrow, wide});
  latency.base = std::max(1.0, alone.latency - latency.per_request * alone.waiting);
  latency.uncoalesced_base = std::max(1.0, alone_wide.latency - latency.per_request * warp * alone_wide.waiting);
  latency.hit = std::min(hit_latency(chase), latency.base);
  return latency;
}

}  // namespace heddle::batch
