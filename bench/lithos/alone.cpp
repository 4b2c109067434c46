#include <string>

#include "experiments.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/models.hpp"

namespace heddle::bench::lithos {

void alone(const Settings& settings, Results& results) {
  std::vector<double> all;
  for (const auto* models : {&tenancy::inference_models(), &tenancy::training_models()})
    for (const auto& model : *models) {
      auto options = options_for(settings, model.name, 4);
      const double bare = run("mps-like", {closed(model.name)}, options).tenants[0].rate();
      all.push_back(bare / run("lithos", {closed(model.name)}, options).tenants[0].rate());
    }
  results.add({"alone, time under lithos over bare", tenancy::mean(all), "x", at_most(1.04), "mps-like"});
  // How much of a queue may be in flight: enough that the device does not idle between two launches.
  auto options = options_for(settings, "bert", 4);
  const double unthrottled = run("lithos:throttle=1000000", {closed("bert")}, options).tenants[0].rate();
  for (const int microseconds : {10, 50, 100, 200, 1000}) {
    const std::string policy = "lithos:throttle=" + std::to_string(microseconds);
    results.add({"throttle of " + std::to_string(microseconds) + " us, rate over unthrottled",
                 run(policy, {closed("bert")}, options).tenants[0].rate() / unthrottled, "x",
                 microseconds == 100 ? std::optional(at_least(0.95)) : std::nullopt, ""});
  }
}

}  // namespace heddle::bench::lithos
