// How fast kernels run that share an SM, as a closed network of queues. Ours, beside the chains of Kernelet's paper
// (corun.hpp): it knows each unit that warps take turns at, and solving it takes microseconds.
//
// A warp is a customer. For each instruction it visits the stations of the SM, and then is away for some cycles: for
// results, latencies and barriers, where warps do not hinder each other. Solved by mean value analysis (Reiser and
// Lavenberg, J. ACM 27(2), 1980) in the approximation of Schweitzer and Bard (1979), which needs no recursion over all
// smaller numbers of warps. Turns of a kernel at a station take the same time, so that half of the one that is served
// is left on the mean.
#pragma once

#include <array>
#include <cstddef>

#include "model/corun/corun.hpp"

namespace heddle::model {

// What warps take turns at. `issue`: turns of schedulers. Then the pipes, in the order of the profile. `port`: the
// load/store unit, which serves accesses one after the other. `link`: the way to and from the L2. `dram`: memory.
enum Station : std::size_t { issue = 0, pipes = 1, port = 8, shared = 9, link = 10, dram = 11, stations = 12 };

// Cycles of an instruction at no station. Caches hold another part of what is loaded with few warps on an SM than with
// many, so that these cycles depend on the number of warps of the kernel.
struct Away {
  static constexpr std::size_t points = 3;
  std::array<double, points> warps{}, cycles{};  // in ascending order of the numbers of warps

  static constexpr Away always(double cycles) { return {{}, {cycles, cycles, cycles}}; }
  // Between two points on a straight line, and beyond the last ones as at them.
  double at(double number) const;
  bool operator==(const Away&) const = default;
};

// What an instruction of a warp needs on the mean, in cycles of an SM. Of what SMs share, an SM has its equal part.
struct Demands {
  std::array<double, stations> cycles{};
  double accesses = 0;  // of the load/store unit: a part of the instructions
  Away away;

  bool known() const { return cycles[issue] > 0; }
  double all() const;  // cycles at all stations, without waiting for others
};

// The cycles away, if warps that are alone take `cycles` for an instruction when so many are on the SM. Below 0:
// less than the stations need.
double cycles_away(const Demands& demands, double warps, double cycles);

// A kernel alone, with so many warps on an SM.
struct Measured {
  double warps = 0, ipc = 0;
};
// The demands with which the network gives what was measured, from few warps to many. Where it would be too fast with
// the most, memory takes longer for what the kernel asks of it than its bandwidth says, up to four times (rows that do
// not stay open, channels that are not used alike). What that does not explain are cycles away.
Demands fitted(Demands demands, const std::array<Measured, Away::points>& measured);

// The IPC of so many warps of a kernel alone on the SM; 0 without warps.
double network_ipc(const Demands& demands, double warps);

// Two kernels close rows of DRAM for each other: if one keeps it busy all the time, requests of the other take so much
// longer. Chosen with the eight kernels of docs/reproduce/kernelet.md in view.
constexpr double row_conflicts = .4;
// Of two kernels with so many warps each.
PairIpc network_ipc(const Demands& first, double first_warps, const Demands& second, double second_warps,
                    double conflicts = row_conflicts);

}  // namespace heddle::model
