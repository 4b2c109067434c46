// Time as the system sees it: real, or moved by hand in tests and simulations.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::base {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since a fixed point of this clock; never goes back. Any thread.
  virtual std::uint64_t now_ns() const = 0;
};

// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  std::uint64_t now_ns() const override { return now(); }
  static std::uint64_t now();
};

// Stands still until moved.
class ManualClock final : public Clock {
 public:
  std::uint64_t now_ns() const override { return now_.load(std::memory_order_acquire); }
  void advance(std::uint64_t nanoseconds) { now_.fetch_add(nanoseconds, std::memory_order_acq_rel); }

 private:
  std::atomic<std::uint64_t> now_{0};
};

// Seconds since construction, on the monotonic clock.
class Stopwatch {
 public:
  Stopwatch() : start_(SteadyClock::now()) {}
  double seconds() const { return static_cast<double>(SteadyClock::now() - start_) * 1e-9; }
  void restart() { start_ = SteadyClock::now(); }

 private:
  std::uint64_t start_;
};

}  // namespace heddle::base
