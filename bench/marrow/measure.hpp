// One of Marrow's programs with given settings and with settings that are found, in turn.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/results.hpp"

namespace heddle::bench::marrow {

struct Effort {
  int rounds = 9;        // measured runs of each contender, of which the median counts
  int adaptations = 40;  // runs that the load balancer has before the measurement
  double step = 0.01;    // of the exhaustive search of the share
};

class Measurement {
 public:
  Measurement(Runtime& runtime, std::string devices, const Effort& effort);

  bool has_both() const { return gpus_ > 0 && has_cpu_; }
  // Rows for a program on CPUs and GPUs together: against GPUs alone, CPUs alone, half and half, and the best share
  // that an exhaustive search finds.
  void both(Results& results, Program& program) const;
  // Rows for a program on the CPU alone: each level of fission, and the one that the tuner finds.
  void fission(Results& results, Program& program) const;
  // The results of a split, or of several, against the serial reference. Empty, or what is wrong.
  std::string verify(Program& program, bool every_split) const;

 private:
  struct Setting {
    std::optional<double> share;
    std::string fission = "none";
    unsigned overlap = 1;
    double seconds = std::numeric_limits<double>::infinity();  // that were measured
  };
  skeleton::ExecutorOptions options(const Setting& setting) const;
  // A time above `limit` is that of one run.
  double seconds(Program& program, const Setting& setting, int rounds, double limit) const;
  Setting best_of_gpus(Program& program) const;
  Setting best_of_cpus(Program& program, double limit) const;
  // The shares of an exhaustive search that nothing beats: the fastest first, then those whose median is within the
  // fastest one's upper quartile, so that another search may find them.
  std::vector<double> best_shares(Program& program, Setting setting) const;
  std::vector<std::string> levels() const;

  Runtime& runtime_;
  std::string devices_;
  Effort effort_;
  unsigned gpus_ = 0;
  bool has_cpu_ = false;
  std::vector<std::pair<std::string, double>> speeds_;  // measured once for all executors
};

}  // namespace heddle::bench::marrow
