// Time below the SMs, whose steps are no whole cycles of the SM's clock.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

using Ticks = std::uint64_t;  // 1/1024 of a cycle
constexpr unsigned tick_bits = 10;
constexpr Ticks ticks(Cycle cycles) { return cycles << tick_bits; }
constexpr Cycle cycle_after(Ticks time) { return (time + ticks(1) - 1) >> tick_bits; }

// The time that bytes take on a port, as a factor: ticks of a byte, in 1/256.
class PortRate {
 public:
  explicit PortRate(double bytes_per_cycle)
      : per_byte_(static_cast<std::uint64_t>(std::llround(ticks(1) * 256 / bytes_per_cycle))) {}
  Ticks time(std::uint64_t bytes) const { return (bytes * per_byte_ + 128) >> 8; }

 private:
  std::uint64_t per_byte_;
};

}  // namespace heddle::device::sim
