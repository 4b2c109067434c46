#include "tuning/balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::tuning {

double deviation(std::span<const double> seconds) {
  if (seconds.size() < 2) return 1;
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return *most > 0 ? *least / *most : 1;
}

void BalanceMonitor::set_best_deviation(double deviation) {
  correction_ = options_.max_deviation - std::min(options_.max_deviation, deviation);
}

bool BalanceMonitor::record(double deviation) {
  threshold_ = options_.weight * (balanced(deviation) ? 0 : 1) + (1 - options_.weight) * threshold_;
  return threshold_ >= options_.trigger;
}

double AdaptiveSearch::step(Side first) {
  const int direction = first == Side::gpu ? 1 : -1;
  if (direction == direction_) {
    ++same_;
  } else {
    same_ = 0;
    exhausted_ = direction_ != 0 && transferable_ <= least_;
    if (direction_ != 0) transferable_ = std::max(transferable_ / 2, least_);
  }
  if (same_ > 2) transferable_ = std::min(transferable_ * 2, 0.5);
  share_ = std::clamp(share_ + direction * transferable_ / 2, 0.0, 1.0);
  direction_ = direction;
  return share_;
}

LoadBalancer::LoadBalancer(double gpu_share, double least, const BalanceOptions& options)
    : options_(options), monitor_(options), search_(gpu_share, least), share_(gpu_share), least_(least) {}

bool LoadBalancer::about_to_correct(double gpu_seconds, double cpu_seconds) const {
  BalanceMonitor next = monitor_;
  return !balancing_ && next.record(deviation(std::array{gpu_seconds, cpu_seconds}));
}

void LoadBalancer::restart(double gpu_share, double best_deviation) {
  share_ = gpu_share;
  balancing_ = false;
  monitor_.reset();
  monitor_.set_best_deviation(best_deviation);
}

bool LoadBalancer::record(double gpu_seconds, double cpu_seconds) {
  const double reached = deviation(std::array{gpu_seconds, cpu_seconds});
  const Run run{std::max(gpu_seconds, cpu_seconds), share_, reached};
  if (!balancing_) {
    if (runs_until_recheck_ > 0 && --runs_until_recheck_ == 0) monitor_.set_best_deviation(1);
    if (!monitor_.record(reached)) return false;
    balancing_ = true;
    ++corrections_;
    search_ = AdaptiveSearch(share_, least_);
    fastest_ = before_ = run;
  } else if (monitor_.balanced(reached)) {
    balancing_ = false;
    monitor_.reset();
    return false;
  } else if (run.seconds < fastest_.seconds) {
    fastest_ = run;
  }
  if (is_best_end(run)) {
    fastest_ = run;
    settle();
    return false;
  }
  before_ = run;
  const double next = search_.step(gpu_seconds < cpu_seconds ? Side::gpu : Side::cpu);
  if (!search_.exhausted()) return move_to(next);
  settle();
  return move_to(fastest_.share);
}

// One type alone was no slower than the split before, whose other part was so small that no split between them can be
// much faster than the end.
bool LoadBalancer::is_best_end(const Run& run) const {
  constexpr double little = 0.05;  // of the time
  return (run.share == 0 || run.share == 1) && run.share != before_.share &&
         std::abs(run.share - before_.share) <= little && run.seconds <= before_.seconds;
}

void LoadBalancer::settle() {
  balancing_ = false;
  monitor_.reset();
  monitor_.set_best_deviation(fastest_.deviation * 0.9);  // of runs that vary a little
  runs_until_recheck_ = recheck_;
  recheck_ *= 2;
}

bool LoadBalancer::move_to(double share) {
  if (share == share_) return false;
  share_ = share;
  ++steps_;
  return true;
}

}  // namespace heddle::tuning
