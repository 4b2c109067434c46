// Loads of tenants for tests.
#pragma once

#include <string>
#include <vector>

#include "sched/make_policy.hpp"
#include "tenancy/experiment.hpp"
#include "tenancy/models.hpp"

namespace heddle::tenancy {

inline TenantLoad serving(const char* model, double quota, double load) {
  TenantLoad made{.settings = {.name = model, .kind = sched::TenantClass::latency, .quota = quota},
                  .model = make_model(model, 66, 2),
                  .arrivals = Arrivals::poisson};
  made.rate = load / model_figures(model).seconds;
  return made;
}

inline TenantLoad closed(const char* model) { return {.settings = {.name = model}, .model = make_model(model, 66, 2)}; }

// `count` launches of one kernel that fills the device.
inline TenantLoad uniform(const char* name, double seconds, double block_seconds, unsigned count = 20) {
  KernelModel kernel{.name = name, .signature = 7, .resident_blocks = 2, .block_seconds = block_seconds};
  kernel.blocks = static_cast<std::uint64_t>(seconds / block_seconds * 66 * 2 * 2);
  return {.settings = {.name = name}, .model = {name, std::vector<KernelModel>(count, kernel)}};
}

// A latency tenant and a batch tenant that share a device, over each of them alone.
struct Hybrid {
  double p99 = 0;      // of the latency tenant
  double latency = 0;  // its rate
  double batch = 0;    // the rate of the batch tenant
};

// Runs them alone once.
class HybridRuns {
 public:
  HybridRuns(TenantLoad serve, TenantLoad batch, ExperimentOptions options)
      : serve_(std::move(serve)),
        batch_(std::move(batch)),
        options_(std::move(options)),
        serve_alone_(run(sched::make_policy("mps-like"), {serve_}, options_).tenants[0]),
        batch_alone_(run(sched::make_policy("mps-like"), {batch_}, options_).tenants[0]) {}
  Hybrid with(const char* policy) const {
    const auto both = run(sched::make_policy(policy), {serve_, batch_}, options_);
    return {quantile(both.tenants[0].latencies, 0.99) / quantile(serve_alone_.latencies, 0.99),
            both.tenants[0].rate() / serve_alone_.rate(), both.tenants[1].rate() / batch_alone_.rate()};
  }

 private:
  const TenantLoad serve_, batch_;
  const ExperimentOptions options_;
  const TenantResult serve_alone_, batch_alone_;
};

}  // namespace heddle::tenancy
