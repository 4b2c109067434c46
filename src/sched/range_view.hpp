// What policies see of ranges of blocks: those in flight, and those that have ended since the policy was last asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/dim3.hpp"
#include "sched/kernel_traits.hpp"
#include "sched/tenant.hpp"

namespace heddle::sched {

// What is known of a launch before it runs, besides its grid.
struct LaunchTraits {
  std::uint64_t signature = 0;        // equal for launches of one kernel with one shape; 0: not known
  std::uint32_t resident_blocks = 0;  // that one processor holds at a time; 0: not known
  std::uint64_t block_multiple = 1;   // ranges end at multiples of it (clusters), or with the grid
  // Its blocks wait for each other, or it runs for as long as its program does. It is never divided.
  bool cooperative = false;
  // The part of the device's memory bandwidth that it uses when it has the whole device; negative: not known.
  double memory_share = -1;
};

struct RangeView {
  std::uint64_t task = 0;
  std::uint32_t queue = 0;         // the id of its launch queue
  const Tenant* tenant = nullptr;  // null: its queue is nobody's
  std::size_t place = 0;           // its device
  BlockRange blocks;
  std::uint64_t of_blocks = 1;  // blocks of the whole task
  std::uint64_t ordinal = 0;    // TaskView::ordinal
  LaunchTraits traits = {};
  const KernelTraits* corun = nullptr;                // TaskView::corun
  const std::vector<unsigned>* processors = nullptr;  // that it may use, ascending; empty: the whole device
  int priority = 0;                                   // Decision::priority
  std::uint64_t held_ns = 0;                          // TaskView::held_ns
  std::uint64_t submitted_ns = 0;
  bool last = false;              // no blocks of its task are left after it
  double predicted_seconds = -1;  // Decision::predicted_seconds
  // False: its end becomes known with that of a later range of its queue. In a completion: times are estimates.
  bool timed = true;
  bool marked = true;  // its own end was reported, and with it those of the ranges before it that have none
};

// A range that has ended. Its pointers are valid during the call.
struct Completion {
  RangeView range;
  std::uint64_t start_ns = 0;  // the later of its submission and the end of the range before it in its queue
  std::uint64_t end_ns = 0;
  double seconds() const { return static_cast<double>(end_ns - start_ns) * 1e-9; }
};

}  // namespace heddle::sched
