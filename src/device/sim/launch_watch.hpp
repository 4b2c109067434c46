// Launches that would not end, or not in time.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "base/quiet_period.hpp"
#include "device/sim/gpu.hpp"

namespace heddle::device::sim {

// Of one launch. Times are real ones, of `clock`, which outlives it: what a machine simulates may take years.
class LaunchWatch {
 public:
  // `limit`: how long the launch may take from its first block on; 0: for ever. `patience_ns`: how long threads may
  // wait in loops while nothing changes in memory; longer than 0 where the host may write what they wait for.
  LaunchWatch(const base::Clock& clock, std::chrono::nanoseconds limit, std::uint64_t patience_ns)
      : clock_(clock), limit_(limit), waiting_(clock, patience_ns) {}
  // Between two epochs; the launch is not done. Throws deadlock if it can never end, with where its threads stand, and
  // KernelFault::timeout if its time is over, with where its blocks stand. The launch is still on the machine then.
  void look(const Gpu& gpu, const GpuLaunch& launch);

 private:
  void look_at_time(const Gpu& gpu, const GpuLaunch& launch);
  void look_for_waiting(const Gpu& gpu, const GpuLaunch& launch);

  const base::Clock& clock_;
  const std::chrono::nanoseconds limit_;
  std::uint64_t end_ns_ = 0;   // 0: no block has begun, or there is no limit
  base::QuietPeriod waiting_;  // in which its threads wait in loops
};

}  // namespace heddle::device::sim
