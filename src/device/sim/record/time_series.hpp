// Counts over time in bounded memory: when there are too many intervals, two become one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/sim/statistics.hpp"

namespace heddle::device::sim {

// What the schedulers of an SM, or of all SMs, did in an interval: slots by use and by active lanes.
struct SlotSample {
  std::array<std::uint64_t, slot_uses> uses{};
  std::array<std::uint64_t, lane_buckets> lanes{};
  SlotSample& operator+=(const SlotSample& other);
};

class TimeSeries {
 public:
  static constexpr std::size_t most = 256;  // intervals

  // Forgets all; cycles are counted from `begin` on.
  void begin(Cycle begin);
  // The slots of the cycles from `from` to before `to`. What lies before begin() is not counted.
  void add(Cycle from, Cycle to, SlotUse use, unsigned bucket);
  // Cycles of an interval: a power of two.
  Cycle interval() const { return interval_; }
  const std::vector<SlotSample>& samples() const { return samples_; }
  // The sum of this and another series that began in the same cycle, in the longer interval of both.
  void merge(const TimeSeries& other);

 private:
  void widen();
  Cycle begin_ = 0, interval_ = 16;
  std::vector<SlotSample> samples_;
};

}  // namespace heddle::device::sim
