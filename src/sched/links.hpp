// How fast bytes get from one memory to another, as placement counts with it.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::sched {

// Memories are numbered: devices from 0, the host's comes behind them.
class LinkTable {
 public:
  LinkTable() = default;  // of no memories
  // What was measured, bytes per second by [from][to], square; the diagonal does not count. Noise must not decide where
  // a launch goes: both directions of a link get the mean of the two, rounded down to whole GB/s; to whole MB/s where
  // that is less than 1 GB/s, and 1 MB/s at least.
  explicit LinkTable(const std::vector<std::vector<double>>& measured);

  std::size_t memories() const { return count_; }
  // Of two that differ.
  double bytes_per_second(std::size_t from, std::size_t to) const { return 1 / seconds_per_byte(from, to); }
  double seconds_per_byte(std::size_t from, std::size_t to) const { return seconds_[from * count_ + to]; }

 private:
  std::size_t count_ = 0;
  std::vector<double> seconds_;
};

}  // namespace heddle::sched
