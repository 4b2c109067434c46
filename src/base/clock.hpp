// The time that Heddle's code reads: the machine's, or in tests and simulations a time that they set.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>

#include "base/thread_safety.hpp"

namespace heddle::base {

// All code that reads or waits for a time takes a Clock. No code outside src/base reads the machine's clock.
class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since a fixed point of this clock; never goes back. Any thread.
  virtual std::uint64_t now_ns() const = 0;
  // Blocks until `changed` is notified or the clock reaches `deadline_ns`. It may also return early, so the caller
  // checks its condition again. `lock` holds the mutex that belongs to `changed`. Any thread.
  virtual void wait_until(Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const = 0;
};

// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  std::uint64_t now_ns() const override;
  void wait_until(Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const override;
};

// Its time changes only by advance().
class ManualClock final : public Clock {
 public:
  std::uint64_t now_ns() const override { return now_.load(std::memory_order_acquire); }
  void wait_until(Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const override;
  void advance(std::uint64_t nanoseconds) { now_.fetch_add(nanoseconds, std::memory_order_acq_rel); }

 private:
  std::atomic<std::uint64_t> now_{0};
};

// Seconds since construction.
class Stopwatch {
 public:
  // The clock outlives it.
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_(clock.now_ns()) {}
  double seconds() const { return static_cast<double>(clock_.now_ns() - start_) * 1e-9; }
  void restart() { start_ = clock_.now_ns(); }

 private:
  const Clock& clock_;
  std::uint64_t start_;
};

}  // namespace heddle::base
