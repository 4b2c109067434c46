// The slices of one of several kernels that run together, and how fast its blocks end.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/kernel.hpp"
#include "sched/policy/slice_plan.hpp"

namespace heddle::batch {

// A kernel with so many blocks on each SM, in slices.
struct Share {
  Kernel* kernel = nullptr;
  unsigned blocks = 1;
  sched::SlicePlan plan = {};
  std::uint64_t first = 0;  // the block with which the slices begin
};

// Slice after slice of a share. The unit of times is the caller's. Slices that end at once are one step of time: the
// rate is taken between two of them.
class SteadyShare {
 public:
  SteadyShare(const Share& share, unsigned processors);

  Kernel& kernel() const { return *share_.kernel; }
  bool takes() const { return share_.plan.takes(in_flight_); }
  double filled() const { return share_.plan.filled(in_flight_); }
  // The next slice, which is in flight from now on. After the grid's last block the first one follows.
  BlockRange take();
  void end(std::uint64_t blocks);
  // What can be seen now: blocks of all slices that have ended, and `more` of those in flight. `warm`: of each kernel,
  // all that began together have ended.
  void see(std::uint64_t now, std::uint64_t more, bool warm);
  bool has_ended_a_round() const { return last_ >= round_; }
  // Whether so many rounds were seen to end after all were warm.
  bool enough(unsigned rounds) const {
    return first_ != 0 && last_at_ > first_at_ && last_ >= first_ + rounds * round_;
  }
  std::uint64_t span() const { return last_at_ - first_at_; }
  double rate() const { return static_cast<double>(last_ - first_) / static_cast<double>(span()); }

 private:
  const Share share_;
  const std::uint64_t round_;  // blocks that fill the device
  std::uint64_t next_ = 0, in_flight_ = 0, ended_ = 0;
  std::uint64_t first_at_ = 0, last_at_ = 0, first_ = 0, last_ = 0;
};

// The share that is to launch next; null: each has enough in flight.
SteadyShare* emptiest(std::vector<SteadyShare>& shares);
bool all_warm(const std::vector<SteadyShare>& shares);

}  // namespace heddle::batch
