#include <fmt/format.h>

#include <numeric>

#include "experiments.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/models.hpp"

namespace heddle::bench::lithos {
namespace {

// Six services, of which the last follows the hours of a day; a training, and a batch of inference.
std::vector<tenancy::TenantLoad> eight_tenants() {
  std::vector<tenancy::TenantLoad> loads;
  for (int i = 0; i < 5; ++i) {
    loads.push_back(serving("dlrm", 0.12, 0.08));
    loads.back().settings.name += std::to_string(i);
  }
  loads.push_back(serving("resnet50", 0.3, 0.1));
  loads.back().arrivals = tenancy::Arrivals::trace;
  loads.push_back(closed("resnet50-train"));
  loads.push_back(closed("bert"));
  return loads;
}

}  // namespace

void eight(const Settings& settings, Results& results) {
  const auto loads = eight_tenants();
  tenancy::ExperimentOptions options;
  options.seconds = 1e6;
  options.requests = settings.eight;
  options.seed = settings.seed;
  std::vector<double> alone;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    tenancy::ExperimentOptions some = options;
    some.requests = loads[i].rate > 0 ? settings.eight / 20 : 0;
    some.seconds = loads[i].rate > 0 ? 1e6 : 5;
    const auto tenant = run("mps-like", {loads[i]}, some).tenants[0];
    alone.push_back(loads[i].rate > 0 ? tenancy::quantile(tenant.latencies, 0.99) : tenant.rate());
  }
  for (const std::string& policy : policies()) {
    const auto made = run(policy, loads, options);
    std::vector<double> p99, attainment, batch;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const auto& tenant = made.tenants[i];
      if (loads[i].rate == 0) {
        batch.push_back(tenant.rate() / alone[i]);
        continue;
      }
      p99.push_back(tenancy::quantile(tenant.latencies, 0.99) / alone[i]);
      attainment.push_back(tenancy::slo_attainment(tenant, tenancy::model_figures(i < 5 ? "dlrm" : "resnet50").limit));
    }
    results.add({"eight tenants, " + policy + ", P99 over alone", tenancy::mean(p99), "x", std::nullopt, "alone"});
    results.add(
        {"eight tenants, " + policy + ", SLO attainment", 100 * tenancy::mean(attainment), "%", std::nullopt, ""});
    results.add({"eight tenants, " + policy + ", batch over alone", std::accumulate(batch.begin(), batch.end(), 0.0),
                 "x", std::nullopt, "alone"});
    fmt::print("eight tenants, {}: digest {:016x}, {} ranges, {:.1f} s\n", policy, made.digest, made.ranges,
               made.seconds);
    if (policy != "lithos") continue;
    results.add({"eight tenants, lithos, equal results of two runs",
                 run(policy, loads, options).digest == made.digest ? 1.0 : 0.0, "", at_least(1), ""});
  }
}

}  // namespace heddle::bench::lithos
