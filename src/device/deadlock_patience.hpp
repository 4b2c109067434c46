// How long devices let kernels wait for nothing.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::device {

// What all devices have, unless an option says otherwise.
inline constexpr std::chrono::milliseconds usual_deadlock_patience{10'000};

// How long all threads of a launch may wait in loops while nothing makes progress on the device and nothing changes in
// memory. The host may still write to what they wait for, or begin a launch that does: so only time can tell. Waits
// that no write can end (all threads at barriers) are reported at once. Returns $HEDDLE_DEADLOCK_MS if it is set, else
// `wanted`; 0, which only options can say, is for ever. Throws as the functions of base/variables.hpp do.
std::chrono::milliseconds deadlock_patience(std::chrono::milliseconds wanted);

// The same for those that compare nanoseconds.
constexpr std::uint64_t quiet_ns(std::chrono::milliseconds patience) {
  constexpr std::uint64_t ns_per_ms = 1'000'000;
  return patience.count() == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(patience.count()) * ns_per_ms;
}

}  // namespace heddle::device
