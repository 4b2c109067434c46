// Which blocks of a long launch are simulated, and what the launch takes by their account.
//
// A wave is as many blocks as the machine holds at once. Some waves are simulated, spread evenly over the grid, one
// behind the other as if they were a grid; then the blocks beyond the last whole wave, so that the launch ends as the
// whole grid does. The time from the mean end of one wave's blocks to that of the next is a sample of what a wave takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/sim/memory/access.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::sim {

constexpr unsigned least_sample_waves = 4;  // the first and the last one tell nothing of the others

struct SamplePlan {
  std::uint64_t wave = 0;             // blocks
  unsigned waves = 0;                 // whole ones that are simulated
  std::uint64_t skipped = 0;          // whole ones that are not
  bool tail = false;                  // blocks beyond the last whole wave are simulated behind them
  std::vector<BlockRange> simulated;  // ascending, each as long as it can be
  std::vector<BlockRange> rest;       // the same
  std::uint64_t simulated_blocks() const;
};

// `waves`: at least least_sample_waves. Nothing where the range has too few waves for that to leave any out.
std::optional<SamplePlan> plan_sample(BlockRange range, std::uint64_t wave, unsigned waves);

struct SampleEstimate {
  Cycle cycles = 0, low = 0, high = 0;
};

// The cycles of the whole launch, and their interval of 95 %: that of the sum of as many waves as were left out, where
// waves are drawn at random from those that were simulated (Student's t of their mean, and the variation of those that
// were not). `cycles`: of the simulated blocks; `ends`: of these, in cycles since the launch, in any order.
SampleEstimate estimate(const SamplePlan& plan, Cycle cycles, std::vector<Cycle> ends);

}  // namespace heddle::device::sim
