// How much of a timeline runs at the same time, and how short it could be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::base {

// When a device was at something; nanoseconds of one clock. One that ends where it begins, or before, counts as
// nothing.
struct Interval {
  enum class Kind : std::uint8_t { kernel, transfer };
  Kind kind = Kind::kernel;
  std::uint64_t begin_ns = 0, end_ns = 0;
};

// The measures of GrCUDA (Parravicini et al., IPDPS 2021, figure 11), each from 0 to 1. Transfers at the same time as
// other transfers are no overlap.
struct Overlap {
  double ct = 0;   // of the kernels' time, what passes during a transfer
  double tc = 0;   // of the transfers' time, what passes during a kernel
  double cc = 0;   // of the kernels' time, what passes during another kernel
  double tot = 0;  // the kernels' time that passes during anything else, of the time of all kernels and transfers
  double kernel_seconds = 0, transfer_seconds = 0;  // sums of lengths
};

// In any order.
Overlap overlap(std::span<const Interval> timeline);

// Something that takes a time and comes behind others, given by their places in the list.
struct Step {
  double seconds = 0;
  std::vector<std::size_t> parents = {};
};

// Seconds of the longest chain of steps that wait for each other: how long all takes at least, when steps that do not
// depend on each other do not slow each other down. 0 for none. Throws invalid_argument for a parent that does not
// stand before its child.
double longest_path(std::span<const Step> steps);

}  // namespace heddle::base
