// Which blocks of a long launch are simulated, and what the launch takes by their account.
//
// A wave is as many blocks as the machine holds at once. Five groups of successive waves are simulated: one where the
// grid begins, in which the machine fills, and four that are spread evenly up to its end. They run one behind the other
// as if they were a grid, and behind them the blocks beyond the last whole wave, so that the launch ends as the whole
// grid does. The first wave of a group fills caches and rows of DRAM as its neighbours would have. The mean time of the
// other waves of a group is a sample of the time of a wave.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/sim/memory/access.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::sim {

constexpr unsigned sample_groups = 4;                             // behind the one at the beginning
constexpr unsigned least_sample_waves = 2 * (sample_groups + 1);  // two in each group

struct SamplePlan {
  std::uint64_t wave = 0;             // blocks
  std::uint64_t waves = 0;            // whole ones that are simulated
  std::uint64_t first_group = 0;      // waves of the group at the beginning
  std::uint64_t group = 0;            // of each of the others
  std::uint64_t skipped = 0;          // whole waves that are not simulated
  bool tail = false;                  // blocks beyond the last whole wave are simulated behind them
  std::vector<BlockRange> simulated;  // ascending, each as long as it can be
  std::vector<BlockRange> rest;       // the same
  std::uint64_t simulated_blocks() const;
};

// `waves`: at least least_sample_waves. Nothing where the range has too few waves for that to leave any out.
std::optional<SamplePlan> plan_sample(BlockRange range, std::uint64_t wave, std::uint64_t waves);

struct SampleEstimate {
  Cycle cycles = 0, low = 0, high = 0;
};

// The cycles of the whole launch, and their interval of 95 %. Its half is the sum of three parts: that of the sum of as
// many waves as were left out, if groups are drawn at random (Student's t of the means of groups, and the variation of
// the waves themselves); for each of these waves the difference between the earlier groups and the later ones; and 2 %
// of their time. `cycles`: of the simulated blocks; `ends`: of these, in cycles since the launch, in any order.
SampleEstimate estimate(const SamplePlan& plan, Cycle cycles, std::vector<Cycle> ends);

}  // namespace heddle::device::sim
