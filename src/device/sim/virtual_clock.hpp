// The clock of a simulated machine: it shows the latest time that a queue or the machine has reached.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace heddle::device::sim {

class VirtualClock final : public base::Clock {
 public:
  // `real`: the machine's, which outlives it.
  explicit VirtualClock(const base::Clock& real) : real_(real) {}
  std::uint64_t now_ns() const override { return now_.load(std::memory_order_acquire); }
  // Who waits for a time lets it come: while nothing is simulated, the clock goes to the deadline.
  void wait_until(base::Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const override;

  // Moves the clock to `time_ns` unless that has passed. Any thread.
  void reach(std::uint64_t time_ns) const;
  // Between these calls time passes by the simulation alone. Any thread.
  void begin_work() { working_.fetch_add(1, std::memory_order_acq_rel); }
  void end_work() { working_.fetch_sub(1, std::memory_order_acq_rel); }

 private:
  const base::Clock& real_;
  mutable std::atomic<std::uint64_t> now_{0};
  std::atomic<unsigned> working_{0};
};

}  // namespace heddle::device::sim
