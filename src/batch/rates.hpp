// Measured rates of pairs of kernels on a GPU, for OPT and to compare the model with.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "batch/profiler.hpp"
#include "sched/policy/pair_rates.hpp"

namespace heddle::batch {

// The IPCs of both on an SM, with so many blocks of each on it, in slices as the policy has them. Both have profiles.
sched::MeasuredRatio measure_pair(Profiler& profiler, const sched::CoRunDevice& corun, Kernel& first,
                                  unsigned first_blocks, Kernel& second, unsigned second_blocks, unsigned rounds = 2);

// At most so many of the ratios that fill an SM, spread evenly.
std::vector<std::pair<unsigned, unsigned>> some_ratios(const sched::CoRunDevice& corun, const Kernel& first,
                                                       const Kernel& second, unsigned most);

// Every pair of different kernels, at most so many of its ratios, spread evenly.
sched::MeasuredRates::Table measure_pairs(Profiler& profiler, std::span<Kernel* const> kernels,
                                          const sched::CoRunDevice& corun, unsigned most_ratios, unsigned rounds = 2);

}  // namespace heddle::batch
