#include "tuning/cost_surface.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::tuning {

Measured CostSurface::measure(const knowledge::Configuration& configuration) const {
  std::size_t group = 0;
  const std::vector<GroupChoice> known = groups();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].groups == configuration.groups) group = i;
  Measured measured;
  const double gpu = elements * configuration.gpu_share, cpu = elements - gpu;
  if (gpu > 0)
    measured.gpu_seconds = gpu_overhead + overlap_overhead * configuration.overlap +
                           gpu * (gpu_seconds_per_element * group_slowdown.at(group) +
                                  transfer_seconds_per_element / configuration.overlap);
  if (cpu > 0)
    measured.cpu_seconds = (cpu_overhead + cpu * cpu_seconds_per_element *
                                               fission_slowdown.at(static_cast<std::size_t>(configuration.fission))) *
                           cpu_load;
  return measured;
}

double CostSurface::best_share(knowledge::Configuration configuration) const {
  // The time of the GPUs grows with their share and that of the CPUs falls, but for the steps at 0 and 1.
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    configuration.gpu_share = (low + high) / 2;
    const Measured measured = measure(configuration);
    (measured.gpu_seconds < measured.cpu_seconds ? low : high) = configuration.gpu_share;
  }
  double best = (low + high) / 2;
  for (const double share : {0.0, 1.0}) {
    knowledge::Configuration alone = configuration, both = configuration;
    alone.gpu_share = share;
    both.gpu_share = best;
    if (measure(alone).seconds() < measure(both).seconds()) best = share;
  }
  return best;
}

std::vector<GroupChoice> CostSurface::groups() { return {{{256}, 1.0}, {{128}, 0.9}, {{512}, 0.85}}; }

TunerSpace CostSurface::space() const {
  return {{knowledge::fission_levels.begin(), knowledge::fission_levels.end()}, {1, 2, 3, 4}, groups()};
}

CostSurface random_surface(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  CostSurface surface;
  surface.elements = std::exp2(between(18, 26));
  surface.gpu_seconds_per_element = std::exp2(between(-33, -29));
  surface.transfer_seconds_per_element = surface.gpu_seconds_per_element * between(0, 3);
  surface.cpu_seconds_per_element = surface.gpu_seconds_per_element * std::exp2(between(-1, 5));
  const double whole = surface.elements * surface.gpu_seconds_per_element;
  surface.gpu_overhead = whole * between(0, 0.05);
  surface.cpu_overhead = whole * between(0, 0.05);
  surface.overlap_overhead = whole * between(0, 0.1);
  const auto best = static_cast<std::size_t>(std::uniform_int_distribution<int>(0, 4)(random));
  const double growth = between(1.05, 1.5);
  for (std::size_t i = 0; i < surface.fission_slowdown.size(); ++i) {
    const auto steps = static_cast<double>(i > best ? i - best : best - i);
    surface.fission_slowdown[i] = std::pow(growth, steps);
  }
  if (seed % 3 == 0 && best >= 2) std::swap(surface.fission_slowdown[best - 1], surface.fission_slowdown[best - 2]);
  const auto group = static_cast<std::size_t>(std::uniform_int_distribution<int>(0, 2)(random));
  for (std::size_t i = 0; i < surface.group_slowdown.size(); ++i)
    surface.group_slowdown[i] = i == group ? 1 : between(1.02, 1.4);
  return surface;
}

Measured NoisyMeasure::operator()(const Measured& exact) {
  return {exact.gpu_seconds * std::max(0.5, 1 + normal_(random_)),
          exact.cpu_seconds * std::max(0.5, 1 + normal_(random_))};
}

}  // namespace heddle::tuning
