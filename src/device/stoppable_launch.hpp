// Launches that can be stopped between their blocks: what preemption, and moving work between devices, are made of.
#pragma once

#include <atomic>
#include <cstdint>

#include "heddle/dim3.hpp"

namespace heddle::device {

// Blocks begin in increasing order and those that have begun run to their end, so what is left is the end of the range.
class StoppableLaunch {
 public:
  virtual ~StoppableLaunch() = default;
  // Few further blocks begin: on GPUs none, on the CPU device what its workers have taken already, up to 2 ms of
  // work. Does not wait; at any time, also before the launch has begun or after it has ended; any thread.
  virtual void stop() = 0;
  // The blocks that have not run, once an event recorded behind the launch is done; empty when all have. Says nothing
  // about a launch that failed.
  virtual BlockRange rest() const = 0;
};

// For devices that ask before each block.
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
