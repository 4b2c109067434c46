#include "device/sim/sampling/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace heddle::device::sim {
namespace {

// Of Student's t, both sides of 95 %, by degrees of freedom.
double quantile(std::size_t freedom) {
  constexpr std::array<double, 30> values{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                          2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                          2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  // Beyond the table, the first terms of its expansion by 1/freedom.
  if (freedom > values.size()) return 1.960 + 2.37 / static_cast<double>(freedom);
  return values[freedom - 1];
}

void append(std::vector<BlockRange>& parts, BlockRange range) {
  if (range.empty()) return;
  if (!parts.empty() && parts.back().end == range.begin)
    parts.back().end = range.end;
  else
    parts.push_back(range);
}

// What the waves behind the first one took. Blocks drift apart from wave to wave; so a wave's time is not that from one
// last end to the next, but from one mean of ends to the next.
std::vector<double> times_of(const SamplePlan& plan, const std::vector<Cycle>& ends) {
  const auto mean_end = [&](std::size_t wave) {
    const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(wave * plan.wave);
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(plan.wave), 0.0) /
           static_cast<double>(plan.wave);
  };
  // Not of the first wave, in which the machine fills, nor of the last one, where it empties.
  const std::size_t last = plan.tail ? plan.waves : plan.waves - 1;
  std::vector<double> times;
  for (std::size_t i = 1; i < last; ++i) times.push_back(mean_end(i) - mean_end(i - 1));
  return times;
}

}  // namespace

std::uint64_t SamplePlan::simulated_blocks() const {
  std::uint64_t sum = 0;
  for (const BlockRange& part : simulated) sum += part.size();
  return sum;
}

std::optional<SamplePlan> plan_sample(BlockRange range, std::uint64_t wave, unsigned waves) {
  if (wave == 0 || range.empty()) return {};
  const std::uint64_t whole = range.size() / wave;
  if (whole <= waves) return {};
  SamplePlan plan;
  plan.wave = wave;
  plan.waves = waves;
  plan.skipped = whole - waves;
  plan.tail = range.size() % wave != 0;
  std::uint64_t at = range.begin;
  for (std::uint64_t i = 0; i < waves; ++i) {
    const std::uint64_t begin = range.begin + i * (whole - 1) / (waves - 1) * wave;
    append(plan.rest, {at, begin});
    append(plan.simulated, {begin, begin + wave});
    at = begin + wave;
  }
  append(plan.simulated, {at, range.end});  // the last wave is the last whole one
  return plan;
}

SampleEstimate estimate(const SamplePlan& plan, Cycle cycles, std::vector<Cycle> ends) {
  std::sort(ends.begin(), ends.end());
  const std::vector<double> times = times_of(plan, ends);
  const auto count = static_cast<double>(times.size());
  double mean = 0, squares = 0;
  for (const double time : times) mean += time / count;
  for (const double time : times) squares += (time - mean) * (time - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  const auto skipped = static_cast<double>(plan.skipped);
  const double more = skipped * mean;
  const double width = quantile(times.size() - 1) * deviation * std::sqrt(skipped + skipped * skipped / count);
  SampleEstimate result;
  result.cycles = cycles + static_cast<Cycle>(std::llround(more));
  result.low = cycles + static_cast<Cycle>(std::max(more - width, 0.0));
  result.high = cycles + static_cast<Cycle>(std::ceil(more + width));
  return result;
}

}  // namespace heddle::device::sim
