// Marrow's searches on simulated cost surfaces: the figures that need no device, and are the same on every machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/clock.hpp"
#include "base/temporary_folder.hpp"
#include "support/results.hpp"
#include "tuning/cost_surface.hpp"
#include "tuning/planner.hpp"

namespace {

using namespace heddle;
using tuning::CostSurface;
using tuning::Measured;

void surfaces(bench::Results& results) {
  double worst = 0, evaluations = 0, literal_worst = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const CostSurface surface = tuning::random_surface(seed);
    const auto measure = [&](const knowledge::Configuration& configuration) { return surface.measure(configuration); };
    const auto oracle = tuning::tune_exhaustively(surface.space(), measure, 0.01);
    const auto fixed = tuning::tune(surface.space(), measure);
    const auto literal = tuning::tune(surface.space(), measure, {.literal = true, .precision = 0});
    worst = std::max(worst, fixed.seconds / oracle.seconds - 1);
    literal_worst = std::max(literal_worst, literal.seconds / oracle.seconds - 1);
    evaluations = std::max(
        evaluations, static_cast<double>(fixed.evaluations.size()) / static_cast<double>(oracle.evaluations.size()));
  }
  results.add({"fixed Algorithm 1, worst of 20 surfaces, over the optimum", 100 * worst, "%", bench::at_most(3),
               "exhaustive search"});
  results.add({"fixed Algorithm 1, most evaluations", 100 * evaluations, "%", bench::at_most(25), "exhaustive search"});
  results.add({"literal Algorithm 1, worst of 20 surfaces, over the optimum",
               100 * literal_worst,
               "%",
               {},
               "exhaustive search"});
}

// The best share depends on the size, as the GPU begins later than the CPU.
CostSurface filter_of(const std::array<double, 2>& image) {
  CostSurface surface;
  surface.elements = image[0] * image[1];
  surface.gpu_seconds_per_element = 0.45e-9;
  surface.transfer_seconds_per_element = 0.2e-9;
  surface.cpu_seconds_per_element = 8e-9;
  surface.gpu_overhead = 100e-6;
  surface.cpu_overhead = 5e-6;
  return surface;
}

// The shape of the paper's Table 4: images in its order, 100 runs each; only the first has a profile.
void derivation(bench::Results& results) {
  const std::vector<std::array<double, 2>> images{{1024, 1024}, {4288, 2848}, {512, 512}, {8192, 8192},
                                                  {1800, 1125}, {2048, 2048}, {256, 512}, {1440, 900}};
  base::TemporaryFolder folder;
  folder.create("marrow");
  const base::SteadyClock clock;
  knowledge::Store store(folder.path() / "profiles" / "k.sqlite", clock);
  tuning::Planner planner({"filter", "simulated", "all"}, &store);
  tuning::NoisyMeasure noise(0.01, 7);
  double worst_time = 0, worst_split = 0;
  for (std::size_t image = 0; image < images.size(); ++image) {
    const CostSurface surface = filter_of(images[image]);
    const knowledge::Workload workload{{images[image][0], images[image][1]}, false};
    planner.plan(workload, 1 / images[image][1], {{.gpu_share = 0.5}, "static"});
    const double derived = planner.profile().configuration.gpu_share;
    if (image == 0)
      planner.set_built(tuning::tune({{knowledge::Fission::none}, {1}, {{{}, 1}}},
                                     [&](const auto& configuration) { return surface.measure(configuration); }));
    for (int run = 0; run < 100; ++run) planner.record(noise(surface.measure(planner.plan(workload, 1, {}))), nullptr);
    knowledge::Configuration best;
    best.gpu_share = surface.best_share(best);
    const knowledge::Configuration kept = store.find({"filter", "simulated", "all"}, workload)->configuration;
    const double time = surface.measure(kept).seconds() / surface.measure(best).seconds() - 1;
    const std::string name = fmt::format("image {} ({} x {})", image, images[image][0], images[image][1]);
    results.add({name + ", derived share", 100 * derived, "%", {}, ""});
    results.add({name + ", unbalanced runs", static_cast<double>(planner.unbalanced_runs()), "of 100", {}, ""});
    results.add({name + ", share kept", 100 * kept.gpu_share, "%", {}, ""});
    results.add({name + ", best share", 100 * best.gpu_share, "%", {}, ""});
    results.add({name + ", time over the optimum", 100 * time, "%", {}, "profiled optimum"});
    if (image < 4) continue;
    worst_time = std::max(worst_time, time);
    worst_split = std::max(worst_split, std::abs(kept.gpu_share - best.gpu_share));
  }
  results.add({"derivation, worst time from the 4th image on, over the optimum", 100 * worst_time, "%",
               bench::at_most(5), "profiled optimum"});
  results.add({"derivation, worst split from the 4th image on", 100 * worst_split, "points", bench::at_most(3),
               "profiled optimum"});
}

// The CPU becomes slower at run 50, and as fast as before at run 150.
void step_load(bench::Results& results) {
  int settled = 0, back = 0;
  double gain = 1e9;
  for (const double load : {1.5, 2.0, 4.0, 8.0}) {
    CostSurface surface;
    surface.transfer_seconds_per_element = 0;
    surface.cpu_seconds_per_element = 3e-9;
    tuning::LoadBalancer balancer(0.75, 1.0 / 4096);
    int first = -1, again = -1;
    double frozen = 0, adapted = 0;
    for (int run = 0; run < 250; ++run) {
      surface.cpu_load = run >= 50 && run < 150 ? load : 1;
      const Measured measured = surface.measure({.gpu_share = balancer.gpu_share()});
      const bool balanced = tuning::deviation(std::array{measured.gpu_seconds, measured.cpu_seconds}) >= 0.85;
      if (run >= 50 && first < 0 && balanced) first = run - 50;
      if (run >= 150 && again < 0 && balanced) again = run - 150;
      if (run >= 65 && run < 150) {
        adapted += measured.seconds();
        frozen += surface.measure({.gpu_share = 0.75}).seconds();
      }
      balancer.record(measured.gpu_seconds, measured.cpu_seconds);
    }
    settled = std::max(settled, first < 0 ? 1000 : first);
    back = std::max(back, again < 0 ? 1000 : again);
    gain = std::min(gain, frozen / adapted);
  }
  results.add({"step load, most runs until balanced", static_cast<double>(settled), "runs", bench::at_most(15), ""});
  results.add({"load ends, most runs until balanced", static_cast<double>(back), "runs", bench::at_most(15), ""});
  results.add({"step load, least gain after settling", gain, "x", bench::at_least(1.1), "split frozen"});
}

}  // namespace

int main() {
  bench::Results results("marrow");
  surfaces(results);
  derivation(results);
  step_load(results);
  return results.finish();
}
