#include <fmt/format.h>

#include <map>

#include "experiments.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/models.hpp"

namespace heddle::bench::lithos {
namespace {

constexpr double most_load = 0.35, least_load = 0.05, step = 0.05;  // of the first tenant

struct Sums {
  std::vector<double> attainment, total, p99, second, batch;
};

void add_policy(const std::string& policy, const Sums& sums, Results& results) {
  const bool ours = policy == "lithos";
  const auto add = [&](const char* what, double value, const char* unit, std::optional<Bar> bar) {
    results.add({"inference, " + policy + ", " + what, value, unit, ours ? bar : std::nullopt, ""});
  };
  add("SLO attainment", 100 * tenancy::mean(sums.attainment), "%", at_least(99.9));
  add("throughput", tenancy::mean(sums.total), "x", at_least(1.0));
  add("P99 over alone", tenancy::mean(sums.p99), "x", std::nullopt);
  add("rate of the second over alone", tenancy::mean(sums.second), "x", std::nullopt);
  add("rate of the batch tenant over alone", tenancy::mean(sums.batch), "x", std::nullopt);
}

// The most with which the model keeps to its service level where three quarters of the device are its own, and nobody
// else is there: a level that its quota cannot keep says nothing of a policy.
double load_of(const Settings& settings, const char* model) {
  double load = most_load;
  for (; load > least_load + step / 2; load -= step) {
    const auto tenant = serving(model, 0.75, load);
    const auto made = run("static", {tenant}, options_for(settings, model, load));
    if (tenancy::slo_attainment(made.tenants[0], tenancy::model_figures(model).limit) >= 0.999) break;
  }
  return load;
}

}  // namespace

void inference(const Settings& settings, Results& results) {
  std::map<std::string, Sums> of;
  std::vector<std::string> all = policies();
  all.push_back("static:9");  // whole GPCs, as MIG has
  const std::vector<std::pair<const char*, const char*>> others = {
      {"llama3", "gptj"}, {"gptj", "bert"}, {"bert", "llama3"}};
  for (const char* first : {"llama3", "gptj", "bert", "resnet50", "retinanet"}) {
    const double load = load_of(settings, first);
    results.add({fmt::format("inference, {}, load", first), load, "of its rate", std::nullopt, ""});
    const auto options = options_for(settings, first, load);
    const auto a = serving(first, 0.75, load);
    const auto alone = run("mps-like", {a}, options).tenants[0];
    for (const auto& [second, batch] : others) {
      const auto b = closed(second, sched::TenantClass::latency, 0.25), c = closed(batch);
      const double b_alone = run("mps-like", {b}, options).tenants[0].rate();
      const double c_alone = run("mps-like", {c}, options).tenants[0].rate();
      for (const std::string& policy : all) {
        const auto made = run(policy, {a, b, c}, options);
        Sums& sums = of[policy];
        const double limit = tenancy::model_figures(first).limit;
        sums.attainment.push_back(tenancy::slo_attainment(made.tenants[0], limit));
        sums.p99.push_back(tenancy::quantile(made.tenants[0].latencies, 0.99) /
                           tenancy::quantile(alone.latencies, 0.99));
        sums.second.push_back(made.tenants[1].rate() / b_alone);
        sums.batch.push_back(made.tenants[2].rate() / c_alone);
        sums.total.push_back(load * made.tenants[0].rate() / alone.rate() + sums.second.back() + sums.batch.back());
      }
    }
  }
  for (const auto& [policy, sums] : of) add_policy(policy, sums, results);
}

}  // namespace heddle::bench::lithos
