#include <fmt/format.h>

#include "gpu/experiments.hpp"

namespace heddle::bench::lithos_gpu {

void three(Bench& bench, Table& table) {
  constexpr double load = 0.35;  // of the first tenant
  std::vector<std::string> all = bench.policies();
  if (bench.bare().units() >= 9) all.push_back("static:9");  // whole GPCs, as MIG has
  const Load first = bench.serving("resnet50", 0.75, load);
  const Load second = bench.closed(bench.sequence("bert"), TenantKind::latency, 0.25);
  const Load batch = bench.closed(bench.sequence("yolov4"), TenantKind::batch, 0);
  const double limit = first.sequence->limit;
  for (const std::string& policy : all) {
    Machine machine(bench.settings(), policy);
    const Together made = run_together(machine, bench.settings(), {first, second, batch}, bench.settings().seconds);
    const bool ours = policy == "lithos";
    const double second_rate = made.tenants[1].rate / bench.alone_rate(second);
    const double batch_rate = made.tenants[2].rate / bench.alone_rate(batch);
    table.add(policy + ", SLO attainment", 100 * made.tenants[0].attainment(limit), "%",
              ours ? std::optional(at_least(99.9)) : std::nullopt,
              ours                   ? "100"
              : policy == "mps-like" ? "45"
              : policy == "tgs"      ? "84"
                                     : "");
    table.add(policy + ", throughput", load * made.tenants[0].rate / bench.alone_rate(first) + second_rate + batch_rate,
              "x", ours ? std::optional(at_least(1.0)) : std::nullopt,
              ours                   ? "1.00"
              : policy == "mps-like" ? "1.11"
              : policy == "static"   ? "0.58"
              : policy == "static:9" ? "0.71"
                                     : "");
    table.add(policy + ", P99 of the first over alone",
              made.tenants[0].quantile(0.99) / bench.alone(first).quantile(0.99), "x");
    table.add(policy + ", second over alone", second_rate, "x", std::nullopt, ours ? "0.50" : "");
    table.add(policy + ", batch over alone", batch_rate, "x", std::nullopt, ours ? "0.15" : "");
  }
  table.print(fmt::format("Three tenants: {} with 75 % at {:.0f} % load, {} with 25 %, {} without", first.tenant.name,
                          100 * load, second.tenant.name, batch.tenant.name));
}

// One tenant owns a half and launches short kernels on many queues. The other one owns the other half: it must get what
// it gets when the first one's half is empty and not lent.
void flood(Bench& bench, Table& table) {
  constexpr double seconds = 3;
  const Sequence& shorts = bench.equal("kernels of 5 us", 256, 5e-6, 5e-6);
  Load many = bench.closed(shorts, TenantKind::batch, 0.5);
  many.queues = 64;
  many.ahead = 16;
  const Load half = bench.closed(bench.sequence("vgg19-train"), TenantKind::batch, 0.5);
  double alone = 0;
  {
    Machine machine(bench.settings(), "static");
    Load silent = many;  // owns its half, and has nothing to do
    const Tenant owner = machine.runtime().tenant(silent.tenant);
    alone = run_together(machine, bench.settings(), {half}, bench.settings().seconds).tenants[0].rate;
  }
  for (const char* policy : {"lithos", "mps-like"}) {
    Machine machine(bench.settings(), policy);
    const Together made = run_together(machine, bench.settings(), {many, half}, seconds);
    const bool ours = std::string_view(policy) == "lithos";
    table.add(fmt::format("{}, the other half's least second over its half alone", policy),
              made.tenants[1].least_second / alone, "x", ours ? std::optional(at_least(0.95)) : std::nullopt, "",
              "its half alone");
    table.add(fmt::format("{}, short kernels", policy), made.tenants[0].rate / shorts.steps[0].seconds, "per s");
  }
  table.print("A flood of kernels of 5 us on 64 queues, each tenant with 50 %");
}

}  // namespace heddle::bench::lithos_gpu
