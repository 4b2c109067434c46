#include "base/clock.hpp"

#include <chrono>

namespace heddle::base {

std::uint64_t SteadyClock::now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace heddle::base
