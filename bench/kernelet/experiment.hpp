// Kernelet's evaluation on one simulated GPU.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batch/profile.hpp"
#include "batch/rates.hpp"
#include "batch/run.hpp"
#include "kernelet/workloads.hpp"
#include "support/results.hpp"

namespace heddle::bench::kernelet {

struct ExperimentOptions {
  std::string machine = "fermi-c2050";
  std::string kernels;        // the folder with the sources
  std::size_t instances = 2;  // of each kernel of a mix
  unsigned ratios = 3;        // of each pair that are measured
  unsigned schedules = 1000;  // random ones, for MC
  std::uint64_t seed = 1;     // of arrivals
  std::vector<std::string> mixes = {"CI", "MI", "MIX", "ALL"};
};

class Experiment {
 public:
  // Compiles and loads the kernels.
  Experiment(const ExperimentOptions& options, Results& results);

  void profile_kernels();  // constants, profiles, the model of each kernel alone
  void measure_pairs();    // all pairs at some ratios, and the model's forecasts
  void run_mixes();        // total times by policy
  void run_random();       // MC on measured rates
  void check();            // what the kernels compute, whole and in slices

 private:
  struct Forecast {
    double simulated = 0, model = 0;  // CP
  };
  void add(const std::string& name, double value, const std::string& unit, std::optional<Bar> bar = std::nullopt);
  void check_results(const std::string& how);
  std::vector<batch::Job> jobs_of(const Mix& mix);
  batch::BatchResult run(const Mix& mix, std::unique_ptr<sched::Policy> policy);
  std::unique_ptr<sched::Policy> policy(const std::string& name);

  const ExperimentOptions options_;
  Results& results_;
  std::unique_ptr<device::Device> device_;
  std::vector<Workload> workloads_;
  std::vector<std::unique_ptr<batch::Kernel>> kernels_;
  sched::CoRunDevice corun_;
  sched::MeasuredRates::Table table_;
};

}  // namespace heddle::bench::kernelet
