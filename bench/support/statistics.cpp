#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"

namespace heddle::bench {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

double time_once(const std::function<void()>& work) {
  const base::SteadyClock clock;
  const base::Stopwatch watch(clock);
  work();
  return watch.seconds();
}

Paired run_paired(const std::function<void()>& first, const std::function<void()>& second, int rounds, int warm_up) {
  for (int i = 0; i < warm_up; ++i) {
    first();
    second();
  }
  std::vector<double> firsts, seconds, ratios;
  for (int i = 0; i < rounds; ++i) {
    double a = 0, b = 0;
    if (i % 2 == 0) {
      a = time_once(first);
      b = time_once(second);
    } else {
      b = time_once(second);
      a = time_once(first);
    }
    firsts.push_back(a);
    seconds.push_back(b);
    ratios.push_back(b / a);
  }
  return {median(firsts), median(seconds), median(ratios)};
}

}  // namespace heddle::bench
