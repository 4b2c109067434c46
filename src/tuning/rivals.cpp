#include "tuning/rivals.hpp"

#include <algorithm>
#include <utility>

namespace heddle::tuning {
namespace {

constexpr std::size_t runs_of_a_probe = 3, runs_in_a_row = 4;
constexpr unsigned most_runs_between_probes = 4096;

bool is_split(const knowledge::Configuration& configuration) {
  return configuration.gpu_share > 0 && configuration.gpu_share < 1;
}

}  // namespace

void Rivals::begin(std::vector<Rival> rivals, std::size_t current) {
  rivals_ = std::move(rivals);
  current_ = home_ = current;
  runs_ = 0;
  runs_left_ = period_ = options_.runs_to_probe;
  moved_ = true;
  probing_ = false;
}

bool Rivals::record(const knowledge::Configuration& used, double seconds) {
  if (rivals_.size() < 2) return false;
  if (std::exchange(moved_, false)) return false;
  rivals_[current_].configuration = used;
  last_[runs_++ % last_.size()] = seconds;
  // A probe ends with its first run where that took so long that it would not have been tried.
  const bool goes_on = runs_ < runs_of_a_probe && seconds <= options_.worth_probing * rivals_[home_].seconds;
  if (probing_) return goes_on ? false : end_probe();
  if (is_much_slower()) return true;
  if (runs_ >= last_.size() && leave_for_a_faster_one()) return true;
  return --runs_left_ == 0 && begin_probe();
}

bool Rivals::end_probe() {
  probing_ = false;
  rivals_[current_].seconds = median();
  const std::size_t tried = current_;
  const bool faster = rivals_[tried].seconds * (1 + options_.margin) < rivals_[home_].seconds;
  period_ = faster ? options_.runs_to_probe : std::min(2 * period_, most_runs_between_probes);
  runs_left_ = period_;
  if (!faster) return change(home_);
  home_ = tried;
  return false;
}

bool Rivals::leave_for_a_faster_one() {
  rivals_[current_].seconds = median();
  const std::size_t other = best_other();
  if (rivals_[other].seconds * (1 + options_.margin) >= rivals_[current_].seconds) return false;
  home_ = other;
  runs_left_ = period_ = options_.runs_to_probe;
  return change(other);
}

// A load that begins makes runs many times as long, and nine of them are many. What slows one split down slows all
// others down, so that these are not tried one after the other.
bool Rivals::is_much_slower() {
  if (runs_ < runs_in_a_row) return false;
  double least = knowledge::never_run;
  for (std::size_t i = 1; i <= runs_in_a_row; ++i) least = std::min(least, last_[(runs_ - i) % last_.size()]);
  if (least <= options_.much_slower * rivals_[best_other()].seconds) return false;
  const double before = std::exchange(rivals_[current_].seconds, least);
  if (is_split(rivals_[current_].configuration) && least > before) slow_down_splits(least / before);
  const std::size_t other = best_other();
  if (least <= options_.much_slower * rivals_[other].seconds) return false;
  home_ = other;
  runs_left_ = period_ = options_.runs_to_probe;
  return change(other);
}

void Rivals::slow_down_splits(double factor) {
  for (std::size_t i = 0; i < rivals_.size(); ++i)
    if (i != current_ && is_split(rivals_[i].configuration)) rivals_[i].seconds *= factor;
}

bool Rivals::begin_probe() {
  runs_left_ = period_;
  const std::size_t other = best_other();
  if (rivals_[other].seconds > options_.worth_probing * rivals_[current_].seconds) return false;
  probing_ = true;
  return change(other);
}

bool Rivals::change(std::size_t to) {
  current_ = to;
  runs_ = 0;
  moved_ = true;
  return true;
}

std::size_t Rivals::best_other() const {
  std::size_t best = current_ == 0 ? 1 : 0;
  for (std::size_t i = 0; i < rivals_.size(); ++i)
    if (i != current_ && rivals_[i].seconds < rivals_[best].seconds) best = i;
  return best;
}

double Rivals::median() const {
  std::array<double, 9> sorted = last_;
  const std::size_t count = std::min(runs_, sorted.size());
  std::nth_element(sorted.begin(), sorted.begin() + count / 2, sorted.begin() + count);
  return sorted[count / 2];
}

}  // namespace heddle::tuning
