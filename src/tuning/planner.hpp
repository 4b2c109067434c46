// Which configuration each run of a program gets: Marrow's top-level decision (Fig. 4).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "knowledge/store.hpp"
#include "tuning/auto_tuner.hpp"
#include "tuning/balance.hpp"
#include "tuning/rivals.hpp"

namespace heddle::tuning {

struct PlannerOptions {
  bool build_profiles = false;  // search for a configuration when runs are unbalanced, once for each workload
  bool adapt = true;            // move the share when runs are unbalanced
  // How often, for each workload, balanced runs may move the share to where their measured speeds would end together.
  // The paper stops at `max_deviation`; where the CPUs have a tenth of the work, that may cost a tenth of the time.
  unsigned refinements = 4;
  BalanceOptions balance = {};
};

// What is the case where nothing is known: the static ratio of the devices' speeds.
struct ColdStart {
  knowledge::Configuration configuration;
  std::string why;
};

// A new workload is looked up, or derived from others. Where its runs are unbalanced, a profile is built or the share
// adapted. A run that is faster than all before, is kept. After a search, runs that take longer than another finalist
// did change to it. One thread at a time.
class Planner {
 public:
  // `store` may be null: then nothing is known at first and nothing is kept. It outlives the planner. Failures of the
  // store are logged as warnings; runs go on without it.
  Planner(knowledge::Subject subject, knowledge::Store* store, const PlannerOptions& options = {});

  // The configuration of the next run. `least` is the smallest part of the work that can be moved.
  const knowledge::Configuration& plan(const knowledge::Workload& workload, double least, const ColdStart& cold);
  // After a run of which nothing is to be learnt but that it is possible: from now on its workload is a known one.
  void ran();
  // After any other run. `tune` is called where a profile is to be built; it searches, with runs of its own.
  void record(const Measured& measured, const std::function<TunerResult()>& tune);
  // A search was made: its result is used from now on, and kept if it is faster than what is kept.
  void set_built(const TunerResult& result);

  const knowledge::Profile& profile() const { return profile_; }  // of the current workload
  const LoadBalancer& balancer() const { return *balancer_; }     // after plan()
  unsigned unbalanced_runs() const { return unbalanced_; }        // of the current workload

 private:
  void look_up(const knowledge::Workload& workload, const ColdStart& cold);
  void keep();
  void refine(const Measured& measured, double reached);
  bool change_to_a_rival(double seconds);

  knowledge::Subject subject_;
  knowledge::Store* store_;
  PlannerOptions options_;
  std::optional<LoadBalancer> balancer_;
  Rivals rivals_;
  knowledge::Profile profile_;                   // the best that is known
  knowledge::Configuration configuration_;       // of the next run
  double best_balanced_ = knowledge::never_run;  // seconds
  unsigned unbalanced_ = 0, refined_ = 0;
  bool is_new_ = false;  // the current workload was not known, and none of its runs has ended well
  bool built_ = false;   // a search was made for the current workload
};

}  // namespace heddle::tuning
