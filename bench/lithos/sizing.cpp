#include <memory>

#include "experiments.hpp"
#include "sched/policy/lithos/frequency.hpp"
#include "sched/policy/lithos/lithos.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/models.hpp"

namespace heddle::bench::lithos {
namespace {

constexpr double slip = 1.1;

std::vector<std::string> models() {
  std::vector<std::string> names;
  for (const auto* all : {&tenancy::inference_models(), &tenancy::training_models()})
    for (const auto& model : *all) names.emplace_back(model.name);
  return names;
}

// Clocks of an A100.
std::vector<unsigned> clocks() {
  std::vector<unsigned> all;
  for (unsigned mhz = 210; mhz <= 1410; mhz += 15) all.push_back(mhz);
  return all;
}

void governor(const Settings& settings, Results& results) {
  std::vector<double> saved, slower;
  for (const std::string& model : models()) {
    auto options = options_for(settings, model, 4);
    options.warm_up = 0;
    const auto full = run("mps-like", {closed(model)}, options);
    sched::lithos::FrequencyGovernor governor(clocks(), slip - 1, 50'000'000);
    unsigned mhz = options.gpu.highest_mhz;
    options.observe = [&](const sched::View& view, const std::vector<sched::Decision>&) {
      for (const sched::Completion& done : view.completions)
        governor.record(done.range.traits.signature ^ done.range.ordinal << 40, mhz, done.seconds());
    };
    options.every = [&](tenancy::Control& control, double now) {
      const unsigned next = governor.propose(static_cast<std::uint64_t>(now * 1e9));
      if (next != mhz) control.gpu().set_frequency(mhz = next);
    };
    const auto governed = run("mps-like", {closed(model)}, options);
    const double rate = governed.tenants[0].rate() / full.tenants[0].rate();
    slower.push_back(1 / rate);
    saved.push_back(1 - governed.joules / rate / full.joules);
  }
  results.add({"frequency governor at slip 1.1, energy saved (power model)", 100 * tenancy::mean(saved), "%",
               std::nullopt, "highest clock"});
  results.add({"frequency governor at slip 1.1, time", tenancy::mean(slower), "x", at_most(1.1), "highest clock"});
}

}  // namespace

void sizing(const Settings& settings, Results& results) {
  std::vector<double> saved, slower;
  for (const std::string& model : models()) {
    const auto options = options_for(settings, model, 4);
    const auto load = closed(model, sched::TenantClass::latency, 1);
    const auto full = run("lithos", {load}, options);
    sched::lithos::LithosPolicy policy(sched::lithos::parse_options("slip=1.1"));
    const auto sized = tenancy::run(policy, {load}, options);
    const auto& counters = policy.counters();
    saved.push_back(100 * tenancy::capacity_saving(counters.unit_seconds, counters.unit_seconds_unsized));
    slower.push_back(full.tenants[0].rate() / sized.tenants[0].rate());
    results.add({"right-sizing, " + model + ", units saved", saved.back(), "%", std::nullopt, ""});
    results.add({"right-sizing, " + model + ", time", slower.back(), "x", std::nullopt, "all units"});
  }
  results.add({"right-sizing at slip 1.1, units saved", tenancy::mean(saved), "%", at_least(26), "all units"});
  results.add({"right-sizing at slip 1.1, time", tenancy::mean(slower), "x", at_most(1.04), "all units"});
  governor(settings, results);
}

}  // namespace heddle::bench::lithos
