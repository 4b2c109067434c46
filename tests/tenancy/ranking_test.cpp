// What tenants get under each policy: the ranking of the paper.
#include <gtest/gtest.h>

#include <map>

#include "sched/policy/lithos/lithos.hpp"
#include "tenancy/loads.hpp"

namespace heddle::tenancy {
namespace {

// L26 and H1: serving at 80 % load beside kernels of up to 30 ms.
TEST(Ranking, IsThatOfThePaper) {
  const HybridRuns runs(serving("bert", 1, 0.8), closed("dlrm-train"), {.seconds = 4});
  std::map<std::string, Hybrid> of;
  for (const char* policy : {"mps-like", "priority", "reef", "orion", "tgs", "static", "timeslice", "lithos"})
    of[policy] = runs.with(policy);
  const Hybrid& lithos = of["lithos"];
  EXPECT_LE(lithos.p99, 1.2);
  EXPECT_GT(lithos.batch, 0.1);
  EXPECT_LT(lithos.p99, of["tgs"].p99);
  EXPECT_LT(of["tgs"].p99, of["reef"].p99);
  EXPECT_LE(of["reef"].p99, of["priority"].p99);
  EXPECT_LT(of["orion"].p99, of["priority"].p99);
  EXPECT_LT(of["priority"].p99, of["mps-like"].p99);
  EXPECT_GT(of["timeslice"].p99, of["priority"].p99);
  // Whole kernels in the pauses between two requests, which only linger keeps free.
  EXPECT_GT(runs.with("lithos:atoms=off,linger=0").p99, 1.2 * runs.with("lithos:linger=0").p99);
  // None of those that keep the latency tenant within 1.5 has more batch work done.
  for (const auto& [policy, hybrid] : of) {
    if (hybrid.p99 <= 1.5) {
      EXPECT_GE(lithos.batch, hybrid.batch) << policy;
    }
  }
  EXPECT_EQ(of["static"].batch, 0);
  for (const char* policy : {"lithos", "static"}) EXPECT_GE(of[policy].latency, 0.99) << policy;
}

// H3: a flood of short launches on 64 streams.
TEST(Ranking, AFloodHurtsNobody) {
  TenantLoad flood = uniform("flood", 5e-6, 5e-6, 30);
  flood.streams = 64;
  const HybridRuns runs(serving("resnet50", 1, 0.7), flood, {.seconds = 0.4, .warm_up = 0.1});
  const Hybrid lithos = runs.with("lithos");
  EXPECT_LE(lithos.p99, 1.2);
  EXPECT_GT(lithos.batch, 0);
  // There most requests do not end at all.
  const Hybrid divided = runs.with("mps-like");
  EXPECT_TRUE(divided.p99 > 2 || divided.latency < 0.5) << divided.p99 << " " << divided.latency;
}

TEST(Ranking, RunsAreDeterministic) {
  const ExperimentOptions options{.seconds = 0.1, .warm_up = 0};
  const std::vector<TenantLoad> loads = {serving("bert", 0.5, 0.4), serving("resnet50", 0.5, 0.4),
                                         closed("vgg19-train")};
  for (const char* policy : {"mps-like", "timeslice", "tgs", "lithos"}) {
    const Outcome first = run(sched::make_policy(policy), loads, options);
    const Outcome second = run(sched::make_policy(policy), loads, options);
    EXPECT_EQ(first.digest, second.digest) << policy;
    EXPECT_EQ(first.ranges, second.ranges) << policy;
  }
}

// L19 and H5: also where requests leave a layer out at random.
TEST(Ranking, PredictionsAreGood) {
  TenantLoad serve = serving("bert", 1, 0.6);
  serve.launches = [](std::uint64_t request, std::size_t kernel) {
    return kernel < 20 || kernel >= 26 || (request * 2654435761u >> 7) % 3 != 0;
  };
  sched::lithos::LithosPolicy policy({});
  const Outcome outcome = run(policy, {serve, closed("resnet50-train")}, {.seconds = 12});
  const auto& counters = policy.counters();
  EXPECT_GT(outcome.tenants[0].latencies.size(), 100u);
  EXPECT_GT(counters.latency_predicted, 5'000u);
  EXPECT_LE(static_cast<double>(counters.latency_missed), 0.01 * static_cast<double>(counters.latency_predicted));
  EXPECT_LE(static_cast<double>(counters.missed), 0.10 * static_cast<double>(counters.predicted));
}

}  // namespace
}  // namespace heddle::tenancy
