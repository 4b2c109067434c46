// What the host pays for a launch whose dependences are found: four array arguments, a device that does nothing, one
// thread. And for reading an element of an array that nobody uses.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"
#include "noop_device.hpp"
#include "ptx/parser.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/launch_state.hpp"
#include "runtime/module_state.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr const char* text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry four(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n) {
  .reg .b64 %p<5>;
  .reg .b32 %r<5>;
  ld.param.u64 %p1, [a];
  ld.param.u64 %p2, [b];
  ld.param.u64 %p3, [c];
  ld.param.u64 %p4, [d];
  ld.global.u32 %r1, [%p1];
  ld.global.u32 %r2, [%p2];
  ld.global.u32 %r3, [%p3];
  add.u32 %r1, %r1, %r2;
  add.u32 %r1, %r1, %r3;
  st.global.u32 [%p4], %r1;
  ret;
}
)";

double nanoseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
}

struct Bench {
  std::shared_ptr<runtime::Core> core;
  std::shared_ptr<runtime::ModuleState> module;
  Kernel kernel;
  std::vector<Array<std::uint32_t>> arrays;

  explicit Bench(const Scheduling& policy, unsigned devices = 1)
      : core(make_core(policy, devices)), module(make_module(core)), kernel(module->kernel("four")) {
    for (int i = 0; i < 20; ++i) arrays.emplace_back(std::make_shared<runtime::Buffer>(core, 4096));
  }
  static std::shared_ptr<runtime::Core> make_core(const Scheduling& policy, unsigned count) {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (unsigned i = 0; i < count; ++i) devices.push_back(bench::make_noop_device("noop" + std::to_string(i)));
    auto core = std::make_shared<runtime::Core>(std::move(devices), false, 0, nullptr, policy);
    core->links().set(runtime::MeasuredLinks(count + 1, std::vector<double>(count + 1, 5e10)));
    return core;
  }
  static std::shared_ptr<runtime::ModuleState> make_module(const std::shared_ptr<runtime::Core>& core) {
    return std::make_shared<runtime::ModuleState>(core, std::make_shared<ptx::Module>(ptx::parse(text, "four")), text,
                                                  "four");
  }

  // Launches that read three arrays and modify one, others each time.
  void launch(std::uint64_t i) {
    const auto& a = arrays[i % 20];
    const auto& b = arrays[(i * 7 + 3) % 20];
    const auto& c = arrays[(i * 3 + 11) % 20];
    const auto& d = arrays[(i * 11 + 5) % 20];
    const std::array<Argument, 5> arguments{Argument(a), Argument(b), Argument(c), Argument(d), Argument(1024u)};
    runtime::launch(core, kernel.state(), {.grid = {4}, .block = {256}}, arguments);
  }
};

constexpr std::uint64_t batch = 10'000, all = 1'000'000;

std::vector<double> launch_all(Bench& bench) {
  std::vector<double> each;
  for (std::uint64_t done = 0; done < all; done += batch) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < batch; ++i) bench.launch(done + i);
    each.push_back(nanoseconds(start) / batch);
  }
  return each;
}

}  // namespace

int main() {
  Bench bench({.replay = false});
  const std::vector<double> each = launch_all(bench);
  const std::vector<double> first(each.begin() + 1, each.begin() + 11), last(each.end() - 10, each.end());
  heddle::bench::Results results("overhead");
  results.add(
      {"launch with 4 arrays, of a million", heddle::bench::median(each), "ns", heddle::bench::at_most(300), ""});
  results.add({"the last launches against the first", heddle::bench::median(last) / heddle::bench::median(first), "x",
               heddle::bench::at_most(1.1), ""});
  Bench repeated({});
  results.add({"the same, found to repeat themselves", heddle::bench::median(launch_all(repeated)), "ns",
               heddle::bench::at_most(300), ""});
  using Policy = Scheduling::Placement;
  for (const auto& [name, placement] :
       {std::pair("round_robin", Policy::round_robin), std::pair("stream_aware", Policy::stream_aware),
        std::pair("min_transfer_size", Policy::min_transfer_size),
        std::pair("minmax_transfer_time", Policy::minmax_transfer_time)}) {
    Bench placed({.placement = placement, .replay = false}, 4);
    const bool moves = placement == Policy::round_robin || placement == Policy::stream_aware;  // each time
    results.add({std::string("placed on one of four devices, ") + name, heddle::bench::median(launch_all(placed)), "ns",
                 moves ? std::nullopt : std::optional(heddle::bench::at_most(500)), ""});
  }
  const auto& idle = bench.arrays[0];
  static_cast<void>(idle.read());
  std::vector<double> reads;
  volatile std::uint32_t sum = 0;
  for (int round = 0; round < 21; ++round) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < batch; ++i) sum = sum + idle.read()[i % 1024];
    reads.push_back(nanoseconds(start) / batch);
  }
  results.add(
      {"read of an element of an idle array", heddle::bench::median(reads), "ns", heddle::bench::at_most(20), ""});
  return results.finish();
}
