#include "gpu/together.hpp"

#include <algorithm>

#include "tenancy/metrics.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

// Work that ends in this time, a second. A step counts where it ends; those of a few milliseconds make no difference.
double rate_between(const std::vector<Progress>& progress, double from, double until) {
  double sum = 0;
  for (const Progress& step : progress)
    if (step.end >= from && step.end < until) sum += step.seconds;
  return sum / (until - from);
}

Share share_of(const Client& client, double from, double until) {
  Share made;
  for (const Served& request : client.served())
    if (request.arrival >= from && request.arrival < until) made.latencies.push_back(request.end - request.arrival);
  made.rate = rate_between(client.progress(), from, until);
  made.least_second = made.rate;
  constexpr double step = 0.05;
  for (double at = from; at + 1 <= until; at += step)
    made.least_second = std::min(made.least_second, rate_between(client.progress(), at, at + 1));
  return made;
}

std::map<std::string, double> figures_of(const Machine& machine) {
  std::map<std::string, double> made;
  for (const PolicyFigure& figure : machine.runtime().policy_figures()) made[figure.name] = figure.value;
  return made;
}

}  // namespace

double Share::quantile(double part) const { return tenancy::quantile(latencies, part); }
double Share::mean() const { return tenancy::mean(latencies); }

double Share::attainment(double limit) const {
  if (latencies.empty()) return 1;
  const auto in_time = std::count_if(latencies.begin(), latencies.end(), [&](double each) { return each <= limit; });
  return static_cast<double>(in_time) / static_cast<double>(latencies.size());
}

Together run_together(Machine& machine, const Settings& settings, const std::vector<Load>& loads, double seconds) {
  std::vector<Tenant> tenants;
  std::vector<std::unique_ptr<Client>> clients;
  for (const Load& load : loads) {
    tenants.push_back(machine.runtime().tenant(load.tenant));
    const bool serves = load.tenant.kind == TenantKind::latency && load.queues == 1;
    clients.push_back(serves ? make_serving_client(machine, tenants.back(), load)
                             : make_training_client(machine, tenants.back(), load));
  }
  const double start = now() + 2e-3, from = start + settings.warm_up, until = from + seconds;
  for (const auto& client : clients) client->start(start);
  wait_until(from);
  const auto before = figures_of(machine);
  wait_until(until);
  Together made;
  for (const auto& [name, value] : figures_of(machine)) made.figures[name] = value - before.at(name);
  for (const auto& client : clients) client->ask_to_stop();
  for (const auto& client : clients) client->join();
  for (const auto& client : clients) {
    client->check();
    made.tenants.push_back(share_of(*client, from, until));
  }
  return made;
}

}  // namespace heddle::bench::lithos_gpu
