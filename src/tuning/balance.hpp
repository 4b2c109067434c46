// Whether the load of recent runs was balanced between the types of devices, and corrections where it was not.
//
// Marrow, section 3.3. The paper's text has lost its formulas; those here follow its prose, and the worked numbers that
// it gives: three to four unbalanced runs in a row trigger a correction, a single one never does.
#pragma once

#include <span>

#include "tuning/share_search.hpp"

namespace heddle::tuning {

// The shortest time over the longest, in [0, 1]: 1 is perfect balance. A part without work takes 0. One part, or none,
// is balanced.
double deviation(std::span<const double> seconds);

struct BalanceOptions {
  double max_deviation = 0.85;  // runs with at least this deviation are balanced; Marrow recommends 0.80 to 0.85
  double weight = 1.0 / 3;      // of the last run against all before
  double trigger = 0.75;        // the threshold at which a correction begins
};

// The load-balancing threshold (lbt): an exponential mean of "was unbalanced".
class BalanceMonitor {
 public:
  explicit BalanceMonitor(const BalanceOptions& options = {}) : options_(options) {}

  // A run that was best although its load was not balanced lowers the bar for all others (the correction factor cf).
  void set_best_deviation(double deviation);
  bool balanced(double deviation) const { return deviation >= options_.max_deviation - correction_; }
  // After each run. True if a correction must begin.
  bool record(double deviation);
  double threshold() const { return threshold_; }
  double correction() const { return correction_; }
  void reset() { threshold_ = 0; }

 private:
  BalanceOptions options_;
  double threshold_ = 0, correction_ = 0;
};

// Adaptive binary search (Marrow, section 3.3.1): the share moves towards the type that finishes first. The interval
// shifts sideways when the optimum has left it, and doubles after more than two shifts in the same direction.
class AdaptiveSearch {
 public:
  // `least` is the smallest transferable part: the largest quantum of a partition over the whole.
  AdaptiveSearch(double gpu_share, double least) : share_(gpu_share), least_(least) {}

  // The share for the next run, after one in which `first` finished first.
  double step(Side first);
  // True once steps have gone both ways with the smallest part: nothing is left to search.
  bool exhausted() const { return exhausted_; }
  double gpu_share() const { return share_; }
  double transferable() const { return transferable_; }

 private:
  double share_, least_;
  double transferable_ = 0.125;
  int direction_ = 0;  // of the last step: +1 to the GPUs, -1 to the CPUs
  int same_ = 0;       // steps after the first in that direction
  bool exhausted_ = false;
};

// Both together: what the share of the next run is. One object for each program and workload.
//
// A search that has bracketed the optimum down to the smallest part without a balanced run ends at its fastest share:
// the program runs best unbalanced (one type may even be best without work), and the correction factor says so. It ends
// sooner where one type alone is no slower than a split that left the other type a twentieth of the work or less. As
// the load may change later, that factor is dropped after `recheck` runs, and after twice as many each time it is found
// again.
class LoadBalancer {
 public:
  LoadBalancer(double gpu_share, double least, const BalanceOptions& options = {});

  // After a run with gpu_share(): the times of the two types, 0 for one without work. Returns true if the share has
  // changed.
  bool record(double gpu_seconds, double cpu_seconds);
  double gpu_share() const { return share_; }
  bool balancing() const { return balancing_; }
  bool balanced(double deviation) const { return monitor_.balanced(deviation); }
  unsigned corrections() const { return corrections_; }  // how often a correction began
  unsigned steps() const { return steps_; }              // how often the share changed
  double threshold() const { return monitor_.threshold(); }
  void set_best_deviation(double deviation) { monitor_.set_best_deviation(deviation); }
  // True once, when the next record() would begin a correction: a caller that can build a profile does that instead,
  // and calls restart().
  bool about_to_correct(double gpu_seconds, double cpu_seconds) const;
  void restart(double gpu_share, double best_deviation);

 private:
  struct Run {
    double seconds = 0, share = 0, deviation = 0;
  };
  bool move_to(double share);
  bool is_best_end(const Run& run) const;
  void settle();

  BalanceOptions options_;
  BalanceMonitor monitor_;
  AdaptiveSearch search_;
  double share_, least_;
  Run fastest_, before_;  // of the search: its fastest run, and the one before the last
  bool balancing_ = false;
  unsigned corrections_ = 0, steps_ = 0;
  unsigned runs_until_recheck_ = 0, recheck_ = 64;
};

}  // namespace heddle::tuning
