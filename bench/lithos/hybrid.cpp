#include <algorithm>
#include <map>

#include "experiments.hpp"
#include "sched/policy/lithos/lithos.hpp"
#include "support/statistics.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/models.hpp"

namespace heddle::bench::lithos {
namespace {

constexpr double load = 0.8;

struct Sums {
  std::vector<double> p99, offered, batch, total;
};

struct Misses {
  std::uint64_t latency = 0, latency_missed = 0, all = 0, missed = 0;
  void add(const sched::lithos::Counters& counters) {
    latency += counters.latency_predicted;
    latency_missed += counters.latency_missed;
    all += counters.predicted;
    missed += counters.missed;
  }
};

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

void add_policy(const std::string& policy, const Sums& sums, Results& results) {
  const bool ours = policy == "lithos";
  const auto add = [&](const char* what, double value, std::optional<Bar> bar) {
    results.add({"hybrid, " + policy + ", " + what, value, "x", ours ? bar : std::nullopt, "each alone"});
  };
  add("P99 over alone", tenancy::mean(sums.p99), at_most(1.2));
  add("worst P99 over alone", *std::max_element(sums.p99.begin(), sums.p99.end()), std::nullopt);
  add("rate of serving over offered", tenancy::mean(sums.offered), at_least(0.99));
  add("rate of training over alone", tenancy::mean(sums.batch), std::nullopt);
  add("throughput", tenancy::mean(sums.total), std::nullopt);
}

// The best baseline that keeps the tail within 1.5.
void add_best(const std::map<std::string, Sums>& of, Results& results) {
  double best = 0;
  std::string name = "none";
  for (const auto& [policy, sums] : of) {
    if (policy.rfind("lithos", 0) == 0 || tenancy::mean(sums.p99) > 1.5) continue;
    if (tenancy::mean(sums.total) <= best) continue;
    best = tenancy::mean(sums.total);
    name = policy;
  }
  if (best > 0)
    results.add({"hybrid, throughput of lithos over the best baseline with P99 <= 1.5x",
                 tenancy::mean(of.at("lithos").total) / best, "x", at_least(1.3), name});
}

}  // namespace

void hybrid(const Settings& settings, Results& results) {
  std::map<std::string, Sums> of;
  std::vector<std::string> all = policies();
  all.insert(all.end(), {"lithos:atoms=off", "lithos:steal=off"});
  Misses misses;
  for (const char* serve : {"llama3", "gptj", "bert", "retinanet", "yolov4"}) {
    const auto options = options_for(settings, serve, load);
    const auto serving_load = serving(serve, 1, load);
    const auto alone = run("mps-like", {serving_load}, options).tenants[0];
    for (const auto& train : tenancy::training_models()) {
      const auto training_load = closed(train.name);
      const double training_alone = run("mps-like", {training_load}, options).tenants[0].rate();
      for (const std::string& policy : all) {
        sched::lithos::LithosPolicy ours(sched::lithos::Options{});
        const auto both = policy == "lithos" ? tenancy::run(ours, {serving_load, training_load}, options)
                                             : run(policy, {serving_load, training_load}, options);
        misses.add(ours.counters());
        const double p99 =
            tenancy::quantile(both.tenants[0].latencies, 0.99) / tenancy::quantile(alone.latencies, 0.99);
        Sums& sums = of[policy];
        sums.p99.push_back(p99);
        sums.offered.push_back(std::min(1.0, both.tenants[0].rate() / alone.rate()));
        sums.batch.push_back(both.tenants[1].rate() / training_alone);
        // A part of the load, of what it could do alone.
        sums.total.push_back(load * sums.offered.back() + sums.batch.back());
        results.add({"hybrid, " + std::string(serve) + " and " + std::string(train.name) + ", " + policy, p99, "x",
                     std::nullopt, "alone"});
      }
    }
  }
  for (const auto& [policy, sums] : of) add_policy(policy, sums, results);
  add_best(of, results);
  results.add(
      {"predictor, misses of latency tenants", 100 * part(misses.latency_missed, misses.latency), "%", at_most(1), ""});
  results.add({"predictor, misses of batch tenants",
               100 * part(misses.missed - misses.latency_missed, misses.all - misses.latency), "%", at_most(10), ""});
}

}  // namespace heddle::bench::lithos
