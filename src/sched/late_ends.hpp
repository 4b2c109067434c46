// Whose ends may be recorded late: a record takes the host a third of the time of a launch, and in a chain nothing asks
// for it.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::sched {

// By kernel. An end that is recorded late is reached late if other commands have come into the queue meanwhile. So a
// kernel must be short, and the ends of its last launches must not have been needed while they were not the last of
// their queue. Numbers of kernels may share an entry: it decides about time alone. Needs the core's lock.
class LateEnds {
 public:
  static constexpr double longest_seconds = 12e-6;  // as measured: of which submitting the launch is up to a half
  static constexpr std::uint8_t launches = 32;      // whose ends must not have been needed

  // To be called for each launch. `seconds`: of a launch of the kernel; 0: not known.
  bool may_be_late(std::uint64_t kernel, double seconds) {
    std::uint8_t& unneeded = unneeded_[kernel % unneeded_.size()];
    if (unneeded < launches) {
      ++unneeded;
      return false;
    }
    return seconds > 0 && seconds <= longest_seconds;
  }
  // An end was waited for that was not the last of its queue.
  void needed(std::uint64_t kernel) { unneeded_[kernel % unneeded_.size()] = 0; }

 private:
  std::array<std::uint8_t, 256> unneeded_{};
};

}  // namespace heddle::sched
