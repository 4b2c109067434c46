#include "compare/measure.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/clock.hpp"

namespace heddle::bench {
namespace {

constexpr double turn_seconds = 0.03;
constexpr int most_runs = 50;
// A run that takes this long brings caches and threads into their usual state by itself.
constexpr double long_run_seconds = 0.5;
// After it the threads of the contender whose turn was sleep, and take no core from the next one.
constexpr std::chrono::milliseconds pause{4};

double now(Measure what) {
  if (what == Measure::clock) return static_cast<double>(base::SteadyClock().now_ns()) * 1e-9;
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

double turn(Contender& contender, Measure what) {
  contender.reset();
  const double start = now(what);
  contender.run();
  double seconds = now(what) - start;
  if (seconds < long_run_seconds) {
    const int runs = std::clamp(static_cast<int>(std::ceil(turn_seconds / seconds)), 1, most_runs);
    const double again = now(what);
    for (int i = 0; i < runs; ++i) contender.run();
    seconds = (now(what) - again) / runs;
  }
  std::this_thread::sleep_for(pause);
  return seconds;
}

double quantile(const std::vector<double>& sorted, double where) {
  const double position = where * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Times measure(const std::vector<std::unique_ptr<Contender>>& contenders, int rounds, Measure what) {
  Times times(contenders.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t who = (i + static_cast<std::size_t>(round + 1)) % contenders.size();
      const double seconds = turn(*contenders[who], what);
      if (round >= 0) times[who].push_back(seconds);
    }
  }
  return times;
}

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75)};
}

Spread ratio(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.size(); ++i) ratios.push_back(other[i] / one[i]);
  return spread(std::move(ratios));
}

}  // namespace heddle::bench
