#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/clock.hpp"

namespace heddle::bench {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) result[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto mean = [](const std::vector<double>& of) {
    return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
  };
  const double mean_a = mean(a), mean_b = mean(b);
  double both = 0, only_a = 0, only_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    only_a += (a[i] - mean_a) * (a[i] - mean_a);
    only_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return both / std::sqrt(only_a * only_b);
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  return correlation(ranks(a), ranks(b));
}

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
