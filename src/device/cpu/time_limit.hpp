// Ends a launch that runs for longer than CpuOptions::launch_timeout.
//
// Generated code has no points at which it asks whether to end. So the threads that run the launch get a signal,
// and its handler (time_limit_signal.hpp) leaves the code as a fault does. A thread that is in a call of the runtime at
// that moment completes it, and gets the next signal. Warps that wait are ended by their worker
// (Worker::step_residents).
#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cpu/adaptive_lock.hpp"

namespace heddle::device::cpu {

class Job;
class ReadyJobs;
class Services;

// The signal: ignored where nothing handles it, and rarely used.
constexpr int time_limit_signal = SIGURG;

// Of one launch.
class TimeLimit {
 public:
  // Null if the device has no limit.
  static std::unique_ptr<TimeLimit> make(Services& services);
  explicit TimeLimit(Services& services) : services_(services) {}

  // The launch begins. `workers` must live as long as the launch is not done.
  void start(std::weak_ptr<Job> job, ReadyJobs& workers);
  // The launch is done.
  void end();

  bool expired() const { return expired_.load(std::memory_order_relaxed); }
  double seconds() const;
  // Where the warps of a block stood when they were ended. Any thread.
  void add_place(std::string place);
  std::vector<std::string> places() const;
  bool has_places() const { return !places().empty(); }

 private:
  void look(const std::weak_ptr<Job>& job, ReadyJobs& workers);

  Services& services_;
  std::atomic<bool> expired_{false};
  std::atomic<std::uint64_t> timer_{0};
  mutable AdaptiveLock lock_;
  std::vector<std::string> places_;
};

}  // namespace heddle::device::cpu
