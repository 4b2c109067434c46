// What the host pays for a launch whose dependences are found: four array arguments, a device that does nothing, one
// thread. And for reading an element of an array that nobody uses.
//
// overhead_launches KIND N: makes N launches and no more, for tools that count instructions. KIND: direct, repeated,
// held; or the name of a policy (docs/policies.md), which then holds them. The difference of two numbers is what
// launches cost without what is done once:
//   valgrind --tool=callgrind overhead_launches direct 20000
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "four_arrays.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using heddle::bench::FourArrays;

double nanoseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
}

// A batch takes less time than a scheduler gives a thread, so that most are undisturbed on a busy machine too.
constexpr std::uint64_t batch = 1'000, all = 1'000'000, reads = 10'000;

std::vector<double> launch_all(FourArrays& bench) {
  std::vector<double> each;
  for (std::uint64_t done = 0; done < all; done += batch) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < batch; ++i) bench.launch(done + i);
    each.push_back(nanoseconds(start) / batch);
  }
  return each;
}

// As in main().
std::unique_ptr<FourArrays> make(const std::string& kind) {
  if (kind == "direct") return std::make_unique<FourArrays>(heddle::Scheduling{.replay = false});
  if (kind == "repeated") return std::make_unique<FourArrays>(heddle::Scheduling{});
  if (kind == "held") return std::make_unique<FourArrays>(heddle::Scheduling{.replay = false}, 1, "slice:1");
  return std::make_unique<FourArrays>(heddle::Scheduling{.replay = false}, 1, kind);
}

int launch_only(const std::string& kind, std::uint64_t count) {
  const auto bench = make(kind);
  for (std::uint64_t i = 0; i < count; ++i) bench->launch(i);
  bench->synchronize();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return launch_only(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  FourArrays bench({.replay = false});
  const std::vector<double> each = launch_all(bench);
  const std::vector<double> first(each.begin() + 10, each.begin() + 110), last(each.end() - 100, each.end());
  heddle::bench::Results results("overhead");
  results.add(
      {"launch with 4 arrays, of a million", heddle::bench::median(each), "ns", heddle::bench::at_most(200), ""});
  results.add({"the last launches against the first", heddle::bench::median(last) / heddle::bench::median(first), "x",
               heddle::bench::at_most(1.1), ""});
  FourArrays repeated({});
  results.add({"the same, found to repeat themselves", heddle::bench::median(launch_all(repeated)), "ns",
               heddle::bench::at_most(100), ""});
  using Policy = heddle::Scheduling::Placement;
  for (const auto& [name, placement] :
       {std::pair("round_robin", Policy::round_robin), std::pair("stream_aware", Policy::stream_aware),
        std::pair("min_transfer_size", Policy::min_transfer_size),
        std::pair("minmax_transfer_time", Policy::minmax_transfer_time)}) {
    FourArrays placed({.placement = placement, .replay = false}, 4);
    const bool moves = placement == Policy::round_robin || placement == Policy::stream_aware;  // each time
    results.add({std::string("placed on one of four devices, ") + name, heddle::bench::median(launch_all(placed)), "ns",
                 moves ? std::nullopt : std::optional(heddle::bench::at_most(500)), ""});
  }
  // Held, found to depend on others, submitted in four ranges, each with an event that is asked for: managed mode.
  FourArrays held({.replay = false}, 1, "slice:1");
  results.add({"held, submitted in four ranges, tracked", heddle::bench::median(launch_all(held)), "ns",
               heddle::bench::at_most(1500), ""});
  const auto& idle = bench.arrays()[0];
  static_cast<void>(idle.read());
  std::vector<double> took;
  volatile std::uint32_t sum = 0;
  for (int round = 0; round < 21; ++round) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < reads; ++i) sum = sum + idle.read()[i % 1024];
    took.push_back(nanoseconds(start) / reads);
  }
  results.add(
      {"read of an element of an idle array", heddle::bench::median(took), "ns", heddle::bench::at_most(20), ""});
  return results.finish();
}
