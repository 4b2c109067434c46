// The search for a good configuration of a program on a workload: Marrow's Algorithm 1 (section 3.2.2).
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "knowledge/profile.hpp"

namespace heddle::tuning {

// What one execution with a configuration took: the time of each type of device, 0 for one without work, and of the
// whole run, in which parts are made and their results merged. A whole of 0 is the longer of the two.
struct Measured {
  double gpu_seconds = 0, cpu_seconds = 0, whole_seconds = 0;
  double seconds() const { return std::max({gpu_seconds, cpu_seconds, whole_seconds}); }
};

// Runs the program once.
using Measure = std::function<Measured(const knowledge::Configuration&)>;

// A size of blocks for each kernel, and the share of the GPU's threads that they occupy.
struct GroupChoice {
  std::vector<unsigned> groups;
  double occupancy = 1;  // the least of the kernels'
};

// Those with at least `threshold` of occupancy, or the best one if there is none; higher occupancy first.
std::vector<GroupChoice> filter_groups(std::vector<GroupChoice> choices, double threshold);

struct TunerOptions {
  // True: Algorithm 1 as it is printed. It compares each candidate with the best of all configurations, begins each
  // configuration's search at half and half, and ends that search at the first candidate that is no better. So a better
  // configuration that comes later is nearly always cut off at its first candidate. False: each configuration has a
  // best of its own; a split's search ends after two candidates that are no better, or when less than `precision` of
  // the work can be transferred; later configurations begin at the best split so far.
  bool literal = false;
  double occupancy_threshold = 0.8;
  // Literal: seconds by which the best time must improve for the search to go on. Else: the part of the work below
  // which a split is not searched further.
  double precision = 1.0 / 256;
  double window = 0.125;    // fixed: the transferable part with which later configurations begin
  unsigned executions = 1;  // of each candidate; the shortest counts
  // Fixed: of the best split, the GPUs alone and the CPUs alone, at the end, in turns. The upper quartile counts: a
  // split waits for the slower of two types, and varies more.
  unsigned final_executions = 5;
  // Fixed: more of them while a finalist's take less than so many seconds in all, up to most_final_executions. Short
  // runs vary most and cost least.
  double final_seconds = 0;
  // Fixed: how many of the best splits are measured again at the end. Among many candidates the best may have been
  // lucky.
  unsigned final_splits = 1;
  static constexpr unsigned most_final_executions = 41;
  // Fixed: the part by which the best split must be faster than one type alone, which varies less and leaves the other
  // type to others.
  double split_gain = 0.02;
  // Fixed, for pruning: nothing is measured in which one type would take so many times as long as the best split, by
  // the speed that it has shown. No other level of fission or overlap makes up for that, and each of these runs takes
  // that long.
  double prune_factor = 4;
  unsigned patience = 2;  // fixed: candidates of one dimension in a row that are no better, after which it ends
};

struct TunerSpace {
  std::vector<knowledge::Fission> fissions;
  std::vector<unsigned> overlaps;
  std::vector<GroupChoice> groups;
};

struct Evaluation {
  knowledge::Configuration configuration;
  Measured measured;
};

struct TunerResult {
  knowledge::Configuration configuration;
  double seconds = knowledge::never_run;
  double deviation = 1;
  std::vector<Evaluation> evaluations;  // in their order; each counts once, whatever TunerOptions::executions is
  std::vector<Evaluation> finalists;    // fixed: the best splits, the GPUs alone, the CPUs alone; not what is pruned
  std::size_t winner = 0;               // of the finalists
};

// Throws invalid_argument where a dimension of the space is empty. Exceptions of `measure` are passed on.
TunerResult tune(const TunerSpace& space, const Measure& measure, const TunerOptions& options = {});
// The oracle: every configuration of the space with every share from 0 to 1 in steps of `step`.
TunerResult tune_exhaustively(const TunerSpace& space, const Measure& measure, double step);

}  // namespace heddle::tuning
