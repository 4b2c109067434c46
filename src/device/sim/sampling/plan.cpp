#include "device/sim/sampling/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace heddle::device::sim {
namespace {

// Of Student's t, both sides of 95 %, by degrees of freedom.
constexpr std::array<double, sample_groups> quantiles{0, 12.706, 4.303, 3.182};

// Of the time of waves that were left out: what no sample shows, as of a cache that fills for longer than it lasts.
constexpr double unseen = 0.02;

void append(std::vector<BlockRange>& parts, BlockRange range) {
  if (range.empty()) return;
  if (!parts.empty() && parts.back().end == range.begin)
    parts.back().end = range.end;
  else
    parts.push_back(range);
}

// What a wave took, as the mean of each group behind the first one. Blocks drift apart from wave to wave; so a wave's
// time is not that from one last end to the next, but from one mean of ends to the next.
std::vector<double> times_of(const SamplePlan& plan, const std::vector<Cycle>& ends) {
  const auto mean_end = [&](std::uint64_t wave) {
    const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(wave * plan.wave);
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(plan.wave), 0.0) / static_cast<double>(plan.wave);
  };
  std::vector<double> times;
  for (std::uint64_t begin = plan.first_group; begin < plan.waves; begin += plan.group) {
    std::uint64_t last = begin + plan.group - 1;
    if (last + 1 == plan.waves && !plan.tail) --last;  // in the last wave of all the machine empties
    if (last > begin) times.push_back((mean_end(last) - mean_end(begin)) / static_cast<double>(last - begin));
  }
  return times;
}

// By how much the later half of the times is longer or shorter than the earlier half.
double drift_of(const std::vector<double>& times) {
  const auto half = static_cast<std::ptrdiff_t>(times.size() / 2);
  const double earlier = std::accumulate(times.begin(), times.begin() + half, 0.0);
  const double later = std::accumulate(times.end() - half, times.end(), 0.0);
  return std::abs(later - earlier) / static_cast<double>(half);
}

}  // namespace

std::uint64_t SamplePlan::simulated_blocks() const {
  std::uint64_t sum = 0;
  for (const BlockRange& part : simulated) sum += part.size();
  return sum;
}

std::optional<SamplePlan> plan_sample(BlockRange range, std::uint64_t wave, std::uint64_t waves) {
  if (wave == 0 || range.empty()) return {};
  const std::uint64_t whole = range.size() / wave;
  if (whole <= waves) return {};
  SamplePlan plan;
  plan.wave = wave;
  plan.waves = waves;
  plan.group = waves / (sample_groups + 1);
  plan.first_group = waves - sample_groups * plan.group;
  plan.skipped = whole - waves;
  plan.tail = range.size() % wave != 0;
  append(plan.simulated, {range.begin, range.begin + plan.first_group * wave});
  std::uint64_t at = plan.simulated.back().end;
  for (std::uint64_t i = 1; i <= sample_groups; ++i) {
    const std::uint64_t begin =
        range.begin + (plan.first_group + (i - 1) * plan.group + i * plan.skipped / sample_groups) * wave;
    append(plan.rest, {at, begin});
    at = begin + plan.group * wave;
    append(plan.simulated, {begin, at});
  }
  append(plan.simulated, {at, range.end});  // the last group ends with the last whole wave
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
  const double chance = quantiles[times.size() - 1] * deviation * std::sqrt(skipped + skipped * skipped / count);
  const double width = chance + skipped * drift_of(times) + unseen * more;
  SampleEstimate result;
  result.cycles = cycles + static_cast<Cycle>(std::llround(more));
  result.low = cycles + static_cast<Cycle>(std::max(more - width, 0.0));
  result.high = cycles + static_cast<Cycle>(std::ceil(more + width));
  return result;
}

}  // namespace heddle::device::sim
