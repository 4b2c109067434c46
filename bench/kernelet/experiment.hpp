// Kernelet's evaluation on one GPU, simulated or real.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batch/profile.hpp"
#include "batch/rates.hpp"
#include "batch/run.hpp"
#include "kernelet/journal.hpp"
#include "kernelet/workloads.hpp"
#include "support/results.hpp"

namespace heddle::bench::kernelet {

struct ExperimentOptions {
  std::string machine = "fermi-c2050";  // a simulated GPU, or "cuda:0"
  std::string kernels;                  // the folder with NAME.ptx
  std::size_t instances = 2;            // of each kernel of a mix
  unsigned fill = 1;                    // times as many blocks of each launch
  unsigned ratios = 3;                  // of each pair that are measured
  unsigned schedules = 1000;            // random ones, for MC
  std::uint64_t seed = 1;               // of arrivals
  std::vector<std::string> mixes = {"CI", "MI", "MIX", "ALL"};
  std::vector<std::string> policies = {};  // of the mixes; empty: all
};

class Experiment {
 public:
  // Loads the kernels.
  Experiment(const ExperimentOptions& options, Results& results);
  // All is measured: a further run measures it again.
  void complete() { journal_.remove(); }

  void profile_kernels();                                    // constants, profiles, the model of each kernel alone
  void measure_pairs();                                      // all pairs at some ratios, and the model's forecasts
  void run_mixes(const std::vector<std::string>& policies);  // total times
  void compare_mixes();                                      // those times with one another
  void search_pairs();  // what the policy finds for two kernels, against every ratio
  void replay_mixes();  // on measured rates
  void run_random();    // MC on measured rates
  void check();         // what the kernels compute, whole and in slices

 private:
  void add(const std::string& name, double value, const std::string& unit, std::optional<Bar> bar = std::nullopt);
  // As measured by a run of the same that was stopped, or measured now.
  double keep(const std::string& name, const std::function<double()>& measure);
  // By measurement, model and chains: profits of all ratios, and the best of each pair.
  struct PairFigures {
    std::array<std::vector<double>, 3> all, best;
    double errors = 0, errors_of_chains = 0;
    std::size_t ratios = 0;
  };
  sched::MeasuredRatio measure_pair(batch::Kernel& first, unsigned first_blocks, batch::Kernel& second,
                                    unsigned second_blocks);
  void measure_ratios(batch::Kernel& first, batch::Kernel& second, PairFigures& figures);
  void run_mix(const Mix& mix, const std::string& name);
  std::vector<Mix> chosen_mixes() const;
  void check_results(const std::string& how);
  std::vector<batch::Job> jobs_of(const Mix& mix);
  batch::BatchResult run(const Mix& mix, std::unique_ptr<sched::Policy> policy);
  std::unique_ptr<sched::Policy> policy(const std::string& name);
  double replay(const Mix& mix, std::unique_ptr<sched::Policy> policy);
  double time(const Mix& mix, const std::function<std::unique_ptr<sched::Policy>()>& make);
  void add_bound(const Mix& mix);
  void add_gpu_bars(const Mix& mix, const std::map<std::string, double>& total);
  double peak_ipc() const;

  const ExperimentOptions options_;
  Results& results_;
  const bool is_gpu_;
  Journal journal_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<batch::Profiler> profiler_;
  std::vector<Workload> workloads_;
  std::vector<std::unique_ptr<batch::Kernel>> kernels_;
  sched::CoRunDevice corun_;
  sched::MeasuredRates::Table table_;
  std::map<std::string, std::map<std::string, double>> totals_;  // microseconds, by mix and policy
};

}  // namespace heddle::bench::kernelet
