#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gpu/experiments.hpp"
#include "support/statistics.hpp"
#include "tenancy/metrics.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

std::vector<unsigned> counts(unsigned units) {
  std::vector<unsigned> made;
  for (const unsigned count : {1u, 2u, 4u, 8u, 12u, 16u, 24u, 33u, 48u, 66u})
    if (count < units) made.push_back(count);
  made.push_back(units);
  return made;
}

struct Line {
  double m = 0, b = 0, r2 = 1;
};

// Least squares of y = m x + b.
Line fit(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = tenancy::mean(x), my = tenancy::mean(y);
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    xy += (x[i] - mx) * (y[i] - my);
    yy += (y[i] - my) * (y[i] - my);
  }
  if (xx <= 0 || yy <= 0) return {0, my, 1};
  const double m = xy / xx;
  return {m, my - m * mx, xy * xy / (xx * yy)};
}

}  // namespace

void scaling(Bench& bench, Table& table) {
  Machine& machine = bench.bare();
  const std::vector<unsigned> units = counts(machine.units());
  if (units.size() < 3) {
    fmt::print("scaling: {} has {} units, of which no line can be made\n", machine.info().id, machine.units());
    return;
  }
  double sum = 0, weights = 0, least = 1;
  for (const char* name : {"resnet50", "bert", "yolov4", "vgg19-train"}) {
    const Sequence& sequence = bench.sequence(name);
    // The longest ones would take minutes on one unit.
    std::vector<Step> steps;
    for (const Step& step : sequence.steps)
      if (step.seconds < 1.5e-3 * bench.settings().scale && steps.size() < 12) steps.push_back(step);
    if (steps.empty()) continue;
    const Buffers buffers = machine.buffers(sequence.warps());
    std::vector<double> x;
    std::vector<std::vector<double>> y(steps.size());
    for (const unsigned count : units) {
      std::vector<unsigned> processors(std::min(count * machine.grain(), machine.info().processors));
      std::iota(processors.begin(), processors.end(), 0U);
      const Queue queue = machine.device().queue({.processors = processors});
      const std::vector<double> times = times_of(machine, queue, steps, buffers, 2);
      x.push_back(1.0 / count);
      for (std::size_t i = 0; i < steps.size(); ++i) y[i].push_back(times[i]);
    }
    double of_model = 0, model_weights = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Line line = fit(x, y[i]);
      of_model += line.r2 * steps[i].seconds;
      model_weights += steps[i].seconds;
      least = std::min(least, line.r2);
    }
    sum += of_model;
    weights += model_weights;
    table.add(fmt::format("{}, R2 of l = m/t + b, weighted by time, {} kernels", name, steps.size()),
              of_model / model_weights, "", at_least(0.92), "0.92-0.99");
  }
  table.add("R2 of all, weighted by time", sum / std::max(weights, 1e-12), "", at_least(0.92), "0.92-0.99");
  table.add("least R2 of a kernel", least, "");
  table.print(fmt::format("Time by units, from {} to {}", units.front(), units.back()));
}

}  // namespace heddle::bench::lithos_gpu
