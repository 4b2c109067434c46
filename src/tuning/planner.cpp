#include "tuning/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "knowledge/derive.hpp"

namespace heddle::tuning {
namespace {

// Programs run also where their knowledge cannot be kept.
template <class Work>
void without_failing(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    base::log_warn_once(error.what());
  }
}

}  // namespace

Planner::Planner(knowledge::Subject subject, knowledge::Store* store, const PlannerOptions& options)
    : subject_(std::move(subject)), store_(store), options_(options) {}

const knowledge::Configuration& Planner::plan(const knowledge::Workload& workload, double least,
                                              const ColdStart& cold) {
  if (balancer_ && profile_.workload == workload) return configuration_;
  look_up(workload, cold);
  configuration_ = profile_.configuration;
  balancer_.emplace(configuration_.gpu_share, least, options_.balance);
  if (profile_.best_seconds < knowledge::never_run && profile_.origin == knowledge::Origin::built)
    balancer_->set_best_deviation(profile_.deviation);
  best_balanced_ = knowledge::never_run;
  rivals_.begin({}, 0);
  unbalanced_ = refined_ = 0;
  built_ = profile_.origin == knowledge::Origin::built;
  return configuration_;
}

void Planner::look_up(const knowledge::Workload& workload, const ColdStart& cold) {
  is_new_ = false;
  profile_ = {.subject = subject_, .workload = workload, .configuration = cold.configuration, .why = cold.why};
  if (store_ == nullptr) return;
  without_failing([&] {
    if (auto known = store_->find(subject_, workload)) {
      profile_ = std::move(*known);
      return;
    }
    if (auto derived = knowledge::derive(store_->all(), subject_, workload)) profile_ = std::move(*derived);
    is_new_ = true;
  });
}

void Planner::ran() {
  if (is_new_) keep();
}

void Planner::keep() {
  is_new_ = false;
  if (store_ != nullptr) without_failing([&] { store_->keep(profile_); });
}

void Planner::set_built(const TunerResult& result) {
  built_ = true;
  configuration_ = result.configuration;
  balancer_->restart(configuration_.gpu_share, result.deviation);
  std::vector<Rival> rivals;
  for (const auto& [configuration, measured] : result.finalists) rivals.push_back({configuration, measured.seconds()});
  rivals_.begin(std::move(rivals), result.winner);
  if (result.seconds >= profile_.best_seconds) return ran();
  profile_.configuration = result.configuration;
  profile_.best_seconds = result.seconds;
  profile_.deviation = result.deviation;
  profile_.origin = knowledge::Origin::built;
  profile_.why = fmt::format("the best of {} configurations that were tried", result.evaluations.size());
  keep();
}

void Planner::record(const Measured& measured, const std::function<TunerResult()>& tune) {
  const double reached = deviation(std::array{measured.gpu_seconds, measured.cpu_seconds});
  const double seconds = measured.seconds();
  const bool balanced = balancer_->balanced(reached);
  if (!balanced) ++unbalanced_;
  if (reached >= options_.balance.max_deviation) best_balanced_ = std::min(best_balanced_, seconds);
  if (seconds < profile_.best_seconds) {
    profile_.configuration = configuration_;
    profile_.best_seconds = seconds;
    profile_.deviation = reached;
    if (profile_.origin == knowledge::Origin::derived && balancer_->steps() > 0) {
      profile_.origin = knowledge::Origin::refined;
      profile_.why += "; then moved by the load balancer";
    }
    keep();
    // It was faster than runs that were balanced: that is this program's best balance.
    if (best_balanced_ < knowledge::never_run && seconds < best_balanced_) balancer_->set_best_deviation(reached);
  }
  ran();
  const bool may_build = options_.build_profiles && !built_ && tune != nullptr;
  if (may_build && balancer_->about_to_correct(measured.gpu_seconds, measured.cpu_seconds)) return set_built(tune());
  if (!options_.adapt || change_to_a_rival(seconds)) return;
  balancer_->record(measured.gpu_seconds, measured.cpu_seconds);
  configuration_.gpu_share = balancer_->gpu_share();
  refine(measured, reached);
}

// True where the run says nothing of the balance, or the next one has another configuration.
bool Planner::change_to_a_rival(double seconds) {
  const bool probed = rivals_.probing();
  if (!rivals_.record(configuration_, seconds)) return probed;
  configuration_ = rivals_.configuration();
  const bool split = configuration_.gpu_share > 0 && configuration_.gpu_share < 1;
  balancer_->restart(configuration_.gpu_share, split ? 1 : 0);
  return true;
}

void Planner::refine(const Measured& measured, double reached) {
  constexpr double even = 0.97;  // what is left is noise
  if (balancer_->balancing() || refined_ >= options_.refinements) return;
  if (reached < options_.balance.max_deviation || reached > even) return;
  const double gpu = configuration_.gpu_share / measured.gpu_seconds;
  const double cpu = (1 - configuration_.gpu_share) / measured.cpu_seconds;
  if (!(gpu > 0) || !(cpu > 0)) return;
  ++refined_;
  configuration_.gpu_share = gpu / (gpu + cpu);
  balancer_->restart(configuration_.gpu_share, 1);
}

}  // namespace heddle::tuning
