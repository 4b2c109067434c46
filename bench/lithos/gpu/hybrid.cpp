#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpu/experiments.hpp"
#include "tenancy/metrics.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

struct Sums {
  std::vector<double> p99, mean, batch, total;
};

const std::map<std::string, std::string> paper_p99 = {{"lithos", "1.19"},   {"tgs", "1.41"},
                                                      {"reef", "2.89"},     {"priority", "2.89"},
                                                      {"mps-like", "5.83"}, {"lithos:atoms=off", "1.38"}};

std::string paper_of(const std::string& policy) {
  const auto found = paper_p99.find(policy);
  return found == paper_p99.end() ? "" : found->second;
}

// One pair under one policy.
void run_pair(Bench& bench, Machine& machine, const std::string& policy, const Load& serve, const Load& train,
              double load, Sums& sums) {
  const Share& alone = bench.alone(serve);
  const Together both = run_together(machine, bench.settings(), {serve, train}, bench.settings().seconds);
  const Share& served = both.tenants[0];
  sums.p99.push_back(served.quantile(0.99) / alone.quantile(0.99));
  sums.mean.push_back(served.mean() / alone.mean());
  sums.batch.push_back(both.tenants[1].rate / bench.alone_rate(train));
  sums.total.push_back(load * std::min(1.0, served.rate / alone.rate) + sums.batch.back());
  fmt::print("  {} and {} at {:.0f} % load, {}: P99 {:.3f} ms ({:.2f}x), mean {:.2f}x, {} requests; training {:.3f}\n",
             serve.tenant.name, train.tenant.name, 100 * load, policy, 1e3 * served.quantile(0.99), sums.p99.back(),
             sums.mean.back(), served.latencies.size(), sums.batch.back());
  std::fflush(stdout);
}

void add_policy(const std::string& policy, const std::string& load, const Sums& sums, Table& table) {
  const bool ours = policy == "lithos";
  const std::string name = load + policy;
  table.add(name + ", P99 over alone", tenancy::mean(sums.p99), "x", ours ? std::optional(at_most(1.15)) : std::nullopt,
            paper_of(policy), "alone");
  table.add(name + ", mean over alone", tenancy::mean(sums.mean), "x", std::nullopt, "", "alone");
  table.add(name + ", training over alone", tenancy::mean(sums.batch), "x",
            ours ? std::optional(at_least(0.4)) : std::nullopt, "", "alone");
  table.add(name + ", throughput", tenancy::mean(sums.total), "x", std::nullopt, "", "alone");
}

// The best baseline that keeps the tail within 1.5.
void add_best(const std::string& load, const std::map<std::string, Sums>& of, Table& table) {
  if (!of.contains("lithos")) return;
  double best = 0;
  std::string name = "none";
  for (const auto& [policy, sums] : of) {
    if (policy.rfind("lithos", 0) == 0 || tenancy::mean(sums.p99) > 1.5) continue;
    if (tenancy::mean(sums.total) <= best) continue;
    best = tenancy::mean(sums.total);
    name = policy;
  }
  if (best > 0)
    table.add(load + "throughput of lithos over the best baseline with P99 <= 1.5x (" + name + ")",
              tenancy::mean(of.at("lithos").total) / best, "x", at_least(1.3), "1.35", name);
}

}  // namespace

void hybrid(Bench& bench, Table& table) {
  const std::vector<std::pair<const char*, const char*>> pairs = {{"yolov4", "vgg19-train"},
                                                                  {"resnet50", "mobilenet-train"}};
  std::vector<std::string> all = bench.policies();
  all.insert(all.end(), {"lithos:atoms=off", "lithos:steal=off"});
  const double load = bench.settings().load;
  std::map<std::string, Sums> full, half;
  for (const std::string& policy : all) {
    Machine machine(bench.settings(), policy);
    for (const auto& [serve, train] : pairs) {
      const Load training = bench.closed(bench.sequence(train), TenantKind::batch, 0);
      run_pair(bench, machine, policy, bench.serving(serve, 1, load), training, load, full[policy]);
    }
    // Half of the load leaves room for others.
    if (policy.find(':') != std::string::npos) continue;
    const auto& [serve, train] = pairs[0];
    const Load training = bench.closed(bench.sequence(train), TenantKind::batch, 0);
    run_pair(bench, machine, policy, bench.serving(serve, 1, load / 2), training, load / 2, half[policy]);
  }
  for (const std::string& policy : all) add_policy(policy, "", full[policy], table);
  add_best("", full, table);
  table.print(fmt::format("Serving and training, {:.0f} % load, {} pairs", 100 * load, pairs.size()));
  const std::string prefix = fmt::format("{:.0f} % load, ", 100 * load / 2);
  for (const std::string& policy : bench.policies()) add_policy(policy, prefix, half[policy], table);
  add_best(prefix, half, table);
  table.print(fmt::format("Serving and training, {:.0f} % load", 100 * load / 2));
}

void longest(Bench& bench, Table& table) {
  constexpr double seconds = 30e-3, block = 150e-6;
  const Sequence& kernel = bench.equal("kernels of 30 ms", 8, seconds * bench.settings().scale, block);
  const double load = bench.settings().load;
  Load train = bench.closed(kernel, TenantKind::batch, 0);
  train.ahead = 2;
  std::map<std::string, Sums> of;
  for (const char* policy : {"mps-like", "priority", "lithos:atoms=off", "lithos"}) {
    Machine machine(bench.settings(), policy);
    Sums& sums = of[policy];
    run_pair(bench, machine, policy, bench.serving("resnet50", 1, load), train, load, sums);
    const bool ours = std::string_view(policy) == "lithos";
    table.add(fmt::format("{}, P99 over alone", policy), sums.p99[0], "x",
              ours ? std::optional(at_most(1.2)) : std::nullopt, ours ? "1.14" : "", "alone");
    table.add(fmt::format("{}, kernels of 30 ms over alone", policy), sums.batch[0], "x",
              ours ? std::optional(at_least(0.01)) : std::nullopt, "", "alone");
  }
  table.add("atoms off over on, P99", of["lithos:atoms=off"].p99[0] / of["lithos"].p99[0], "x", at_least(1.1), "2",
            "lithos");
  table.print("Serving beside kernels of 30 ms");
}

}  // namespace heddle::bench::lithos_gpu
