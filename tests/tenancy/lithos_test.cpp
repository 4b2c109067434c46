// Policies for tenants, under the real dispatcher in virtual time.
#include <gtest/gtest.h>

#include <cstdio>

#include "sched/make_policy.hpp"
#include "tenancy/experiment.hpp"
#include "tenancy/models.hpp"

namespace heddle::tenancy {
namespace {

TenantLoad serving(const char* model, double quota, double load) {
  TenantLoad made{.settings = {.name = model, .kind = sched::TenantClass::latency, .quota = quota},
                  .model = make_model(model, 66, 2),
                  .arrivals = Arrivals::poisson};
  made.rate = load / model_figures(model).seconds;
  return made;
}

TenantLoad training(const char* model) { return {.settings = {.name = model}, .model = make_model(model, 66, 2)}; }

struct Hybrid {
  double p99 = 0, batch = 0;  // over alone
};

Hybrid hybrid(const char* policy, const char* serve, const char* train) {
  const ExperimentOptions options{.seconds = 5};
  const auto alone = run(sched::make_policy("mps-like"), {serving(serve, 1, 0.6)}, options);
  const auto train_alone = run(sched::make_policy("mps-like"), {training(train)}, options);
  const auto both = run(sched::make_policy(policy), {serving(serve, 1, 0.6), training(train)}, options);
  Hybrid made{quantile(both.tenants[0].latencies, 0.99) / quantile(alone.tenants[0].latencies, 0.99),
              both.tenants[1].rate() / train_alone.tenants[0].rate()};
  std::printf("%-20s %s+%s: P99 %.3f batch %.3f HP %.3f of %.3f/s util %.3f ranges %llu unfinished %llu\n", policy,
              serve, train, made.p99, made.batch, both.tenants[0].rate(), alone.tenants[0].rate(), both.utilisation,
              static_cast<unsigned long long>(both.ranges),
              static_cast<unsigned long long>(both.tenants[0].unfinished));
  return made;
}

TEST(Lithos, Explore) {
  for (const char* train : {"resnet50-train", "dlrm-train"})
    for (const char* policy : {"mps-like", "priority", "reef", "orion", "tgs", "static", "timeslice", "lithos",
                               "lithos:atoms=off", "lithos:steal=off"})
      hybrid(policy, "bert", train);
}

}  // namespace
}  // namespace heddle::tenancy
