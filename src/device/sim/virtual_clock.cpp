#include "device/sim/virtual_clock.hpp"

namespace heddle::device::sim {

void VirtualClock::wait_until(base::Lock& lock, std::condition_variable& changed, std::uint64_t deadline_ns) const {
  constexpr std::uint64_t patience_ns = 1'000'000;  // of real time, in which others may notify
  real_.wait_until(lock, changed, real_.now_ns() + patience_ns);
  if (working_.load(std::memory_order_acquire) == 0) reach(deadline_ns);
}

void VirtualClock::reach(std::uint64_t time_ns) const {
  std::uint64_t now = now_.load(std::memory_order_acquire);
  while (now < time_ns && !now_.compare_exchange_weak(now, time_ns, std::memory_order_acq_rel)) {
  }
}

}  // namespace heddle::device::sim
