// Launches that can be stopped between their blocks, for preemption and for moving work between devices.
#pragma once

#include <atomic>
#include <cstdint>

#include "heddle/dim3.hpp"

namespace heddle::device {

// Blocks begin in increasing order, and those that have begun run to their end. So the blocks that are left are the end
// of the range.
class StoppableLaunch {
 public:
  virtual ~StoppableLaunch() = default;
  // Few further blocks begin: none on GPUs; on the CPU device those that its workers have taken already, up to 2 ms of
  // work. Does not wait. May be called at any time, also before the launch has begun or after it has ended. Any thread.
  virtual void stop() = 0;
  // The blocks that have not run; empty if all have. Valid once an event recorded after the launch is done. Undefined
  // for a launch that failed.
  virtual BlockRange rest() const = 0;
};

// For devices that check before each block whether to stop.
class StopFlag final : public StoppableLaunch {
 public:
  explicit StopFlag(BlockRange range) : end_(range.end), next_(range.begin) {}
  void stop() override { stopped_.store(true, std::memory_order_relaxed); }
  BlockRange rest() const override { return {next_.load(std::memory_order_acquire), end_}; }

  // For the device.
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Blocks before `next` have run.
  void advance(std::uint64_t next) { next_.store(next, std::memory_order_release); }

 private:
  const std::uint64_t end_;
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> stopped_{false};
};

}  // namespace heddle::device
