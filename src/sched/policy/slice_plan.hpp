// How large slices of a kernel are, and how many are in flight, so that the blocks of two kernels stay on the SMs in
// the numbers that were chosen.
#pragma once

#include <cstdint>

#include "sched/kernel_traits.hpp"

namespace heddle::sched {

struct SlicePlan {
  std::uint64_t blocks = 1;    // of a slice
  unsigned ahead = 2;          // slices in flight
  std::uint64_t resident = 1;  // blocks that are to be on the device
  unsigned refill = 1;         // slices that are submitted at a time, where `ahead` leaves room for them

  // Whether another slice is to be submitted while so many blocks are in flight.
  bool takes(std::uint64_t in_flight) const { return in_flight == 0 || in_flight + blocks <= ahead * blocks; }
  // Whether so few blocks are in flight that it is time to submit others.
  bool is_low(std::uint64_t in_flight) const { return in_flight == 0 || in_flight + refill * blocks <= ahead * blocks; }
  // Of several kernels, the next slice is of the one with the least of this: so the device fills in their proportion.
  double filled(std::uint64_t in_flight) const {
    return static_cast<double>(in_flight) / static_cast<double>(resident);
  }
};

// The part of the time that two kernels save, if the host needs `CoRunDevice::slice_cycles` for each slice.
double profit_with_launches(const CoRunDevice& device, unsigned processors, const KernelTraits& first,
                            const KernelTraits& second, const model::CoSchedule& pair);

// A simulated GPU starts blocks in the order of their launches, whichever kernel's block has made room. With as many
// slices of both kernels in flight, the one with the shorter blocks would lose its place to the other. So blocks of
// both wait for the same time (Little's law): beside those on the SMs, as many wait as end in
// `CoRunDevice::launch_cycles`. `blocks`: that are to be on each SM. `ipc`: of the kernel on an SM then; 0: as it has
// alone. Where the host's time counts, the slices of a kernel run in `CoRunDevice::lanes` queues: so many are on the
// device at a time, and no more, however many are in flight. So the host can be ahead.
SlicePlan plan_slices(const CoRunDevice& device, unsigned processors, const KernelTraits& kernel, unsigned blocks,
                      double ipc);

}  // namespace heddle::sched
