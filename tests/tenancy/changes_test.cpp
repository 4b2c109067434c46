// What LithOS's policy makes of changes while tenants run: of their settings, and of the device's frequency.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sched/policy/lithos/frequency.hpp"
#include "sched/policy/lithos/lithos.hpp"
#include "tenancy/loads.hpp"

namespace heddle::tenancy {
namespace {

using sched::Decision;
using sched::TenantClass;
using sched::View;

// Changes the settings of the first tenant after a second.
struct Change {
  sched::TenantSettings settings;
  double at = 0;  // 0: not yet
  void operator()(Control& control, double now) {
    if (at > 0 || now < 1) return;
    at = now;
    control.set(0, settings);
  }
};

// L28: the slip. Fewer units from then on.
TEST(Changes, ASlipSavesUnitsFromThenOn) {
  TenantLoad load = closed("llama3");
  load.settings.quota = 1;
  Change change{{.name = "llama3", .quota = 1, .slip = 1.1}};
  ExperimentOptions options{.seconds = 4};
  options.every = [&](Control& control, double now) { change(control, now); };
  // Units for each launch, weighted by the time that it is predicted to take.
  struct Mean {
    double units = 0, seconds = 0;
    double value() const { return units / seconds; }
  } before, after;
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    if (static_cast<double>(view.now_ns) * 1e-9 < 0.5) return;  // times are learned
    for (const Decision& decision : decisions) {
      if (decision.predicted_seconds < 0) continue;
      Mean& mean = change.at == 0 ? before : after;
      const std::size_t processors = decision.processors.empty() ? 132 : decision.processors.size();
      mean.units += static_cast<double>(processors) / 2 * decision.predicted_seconds;
      mean.seconds += decision.predicted_seconds;
    }
  };
  run(sched::make_policy("lithos"), {load}, options);
  ASSERT_GT(change.at, 0);
  EXPECT_LT(after.value(), 0.95 * before.value());
}

// L28: the class, which is the priority among tenants.
TEST(Changes, AClassCountsFromTheNextDecisionOn) {
  std::vector<TenantLoad> loads = {uniform("a", 5e-3, 100e-6), uniform("b", 5e-3, 100e-6)};
  for (TenantLoad& load : loads) load.settings.quota = 0.5;
  Change change{{.name = "a", .kind = TenantClass::latency, .quota = 0.5}};
  ExperimentOptions options{.seconds = 2};
  options.every = [&](Control& control, double now) { change(control, now); };
  std::uint64_t before = 0, after = 0, others = 0;
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
      const bool first = view.ready[decision.task].queue->tenant->settings.name == "a";
      // Where some of the other's are used too the priority is lower.
      const auto is_own = [&](unsigned processor) { return (processor < 66) == first; };
      if (decision.processors.empty()) continue;
      if (!std::all_of(decision.processors.begin(), decision.processors.end(), is_own)) continue;
      EXPECT_EQ(decision.priority, first && change.at > 0 ? 1 : 0);
      ++(!first ? others : change.at > 0 ? after : before);
    }
  };
  run(sched::make_policy("lithos"), loads, options);
  EXPECT_GT(std::min({before, after, others}), 50u);
}

// L23: on the power model the governor saves energy, stays within the slowdown, and changes the clock no more often
// than a change can take effect.
TEST(Changes, TheFrequencyGovernorSavesEnergyWithinTheSlowdown) {
  constexpr std::uint64_t period_ns = 50'000'000;
  std::vector<unsigned> clocks;
  for (unsigned mhz = 210; mhz <= 1410; mhz += 15) clocks.push_back(mhz);
  for (const char* model : {"resnet50-train", "dlrm-train", "llama3"}) {
    ExperimentOptions options{.seconds = 4, .warm_up = 0};
    const auto full = run(sched::make_policy("mps-like"), {closed(model)}, options);
    sched::lithos::FrequencyGovernor governor(clocks, 0.1, period_ns);
    unsigned mhz = options.gpu.highest_mhz;
    std::vector<double> changes;
    options.observe = [&](const View& view, const std::vector<Decision>&) {
      for (const sched::Completion& done : view.completions)
        governor.record(done.range.traits.signature ^ done.range.ordinal << 40, mhz, done.seconds());
    };
    options.every = [&](Control& control, double now) {
      const unsigned next = governor.propose(static_cast<std::uint64_t>(now * 1e9));
      if (next == mhz) return;
      control.gpu().set_frequency(mhz = next);
      changes.push_back(now);
    };
    const auto governed = run(sched::make_policy("mps-like"), {closed(model)}, options);
    const double rate = governed.tenants[0].rate() / full.tenants[0].rate();
    // But for the request that was not over yet.
    EXPECT_GE(static_cast<double>(governed.tenants[0].latencies.size()) + 1,
              static_cast<double>(full.tenants[0].latencies.size()) / 1.1)
        << model;
    EXPECT_LT(governed.joules / rate, 0.98 * full.joules) << model << ": energy for the same work";
    EXPECT_FALSE(changes.empty()) << model;
    for (std::size_t i = 1; i < changes.size(); ++i)
      EXPECT_GE(changes[i] - changes[i - 1], static_cast<double>(period_ns) * 1e-9 - 1e-9) << model;
  }
}

}  // namespace
}  // namespace heddle::tenancy
