// A machine whose times are formulas: what searches are tested on, and what reports use where no such machine exists.
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "tuning/auto_tuner.hpp"

namespace heddle::tuning {

// One program on one machine with a CPU and GPUs. Times are in seconds, work in elements.
struct CostSurface {
  double elements = 1e6;
  double gpu_seconds_per_element = 1e-9, cpu_seconds_per_element = 4e-9;  // at the best settings
  double transfer_seconds_per_element = 1e-9;             // to and from the GPUs; overlap hides all but 1/overlap of it
  double gpu_overhead = 0, cpu_overhead = 0;              // of a run in which the type has work
  double overlap_overhead = 0;                            // of each concurrent execution
  std::array<double, 5> fission_slowdown{1, 1, 1, 1, 1};  // by knowledge::Fission; at least one is 1
  std::array<double, 3> group_slowdown{1, 1, 1};          // by the place of the group in groups()
  double cpu_load = 1;                                    // how much slower others make the CPU

  Measured measure(const knowledge::Configuration& configuration) const;
  // The share with which both types finish at once, or with which one type alone is faster; by formula.
  double best_share(knowledge::Configuration configuration) const;
  TunerSpace space() const;
  static std::vector<GroupChoice> groups();
};

// A surface with an optimum at a random place. Slow-downs grow with the distance from it on either side, except that
// one surface in three has a bump: a level beside the optimum that is worse than one further away.
CostSurface random_surface(std::uint32_t seed);

// The same times with noise: each is multiplied with 1 + `relative` times a normal variable.
class NoisyMeasure {
 public:
  NoisyMeasure(double relative, std::uint32_t seed) : random_(seed), normal_(0, relative) {}
  Measured operator()(const Measured& exact);

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace heddle::tuning
