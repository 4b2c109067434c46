// Bandwidths between memories, as placement uses them.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::sched {

// Memories are numbered: those of devices from 0, the host's after them.
class LinkTable {
 public:
  LinkTable() = default;  // without memories
  // `measured`: bytes per second by [from][to], a square matrix whose diagonal is ignored. Noise must not decide where
  // a launch runs. So both directions of a link get the mean of the two, rounded down to whole GB/s. A mean below 1
  // GB/s is rounded down to whole MB/s, to 1 MB/s at least.
  explicit LinkTable(const std::vector<std::vector<double>>& measured);

  std::size_t memories() const { return count_; }
  // For `from` != `to`.
  double bytes_per_second(std::size_t from, std::size_t to) const { return 1 / seconds_per_byte(from, to); }
  double seconds_per_byte(std::size_t from, std::size_t to) const { return seconds_[from * count_ + to]; }

 private:
  std::size_t count_ = 0;
  std::vector<double> seconds_;
};

}  // namespace heddle::sched
