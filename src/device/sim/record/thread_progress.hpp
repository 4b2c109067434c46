// How far the threads of a block have come over time, in bounded memory: when there are too many samples, every second
// one is dropped. Threads that are left behind show as low quantiles that stand still (Dynamic Warp Formation, section
// 6.2).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/sim/block_context.hpp"

namespace heddle::device::sim {

struct ProgressSample {
  static constexpr unsigned quantiles = 11;  // 0 %, 10 %, ... 100 % of the block's threads
  Cycle cycle = 0;                           // since begin()
  std::uint32_t unfinished = 0;              // threads that have not exited
  std::array<std::uint64_t, quantiles> instructions{};
};

// Follows the first block that issues after begin().
class ThreadProgress {
 public:
  static constexpr std::size_t most = 256;  // samples

  void begin(Cycle begin);
  // The group's threads issue an instruction.
  void issued(Cycle now, const IssueGroup& group);
  // The block leaves the SM: if it is the one that is followed, its last sample is taken.
  void left(Cycle now, const BlockContext& block);
  const std::vector<ProgressSample>& samples() const { return samples_; }
  std::size_t threads() const { return instructions_.size(); }

 private:
  void sample(Cycle now);

  const BlockContext* block_ = nullptr;
  bool done_ = false;
  Cycle begin_ = 0, next_ = 0, interval_ = 0;
  std::vector<std::uint64_t> instructions_;  // by thread
  std::vector<ProgressSample> samples_;
};

}  // namespace heddle::device::sim
