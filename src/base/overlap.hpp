// How much of a timeline overlaps, and the shortest time that its dependences permit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::base {

// When a device ran a kernel or a transfer, in nanoseconds of one clock. An interval that does not end after its begin
// is ignored.
struct Interval {
  enum class Kind : std::uint8_t { kernel, transfer };
  Kind kind = Kind::kernel;
  std::uint64_t begin_ns = 0, end_ns = 0;
};

// The measures of GrCUDA (Parravicini et al., IPDPS 2021, figure 11), each from 0 to 1. Transfers that run at the same
// time as other transfers do not count as overlap.
struct Overlap {
  double ct = 0;   // the share of the kernels' time during which a transfer runs
  double tc = 0;   // the share of the transfers' time during which a kernel runs
  double cc = 0;   // the share of the kernels' time during which another kernel runs
  double tot = 0;  // the kernels' time during which anything else runs, over the time of all kernels and transfers
  double kernel_seconds = 0, transfer_seconds = 0;  // sums of lengths
};

// The intervals may be in any order.
Overlap overlap(std::span<const Interval> timeline);

// A step of a schedule: how long it takes, and the steps before it, by their indices in the list.
struct Step {
  double seconds = 0;
  std::vector<std::size_t> parents = {};
};

// Length of the critical path in seconds: the least time for all steps if independent steps do not slow each other
// down. 0 for no steps. Throws invalid_argument for a parent that is not before its child in the list.
double longest_path(std::span<const Step> steps);

}  // namespace heddle::base
