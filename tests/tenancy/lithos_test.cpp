// LithOS's policy under the real dispatcher, in virtual time: what it keeps to at each decision, and what tenants get.
#include "sched/policy/lithos/lithos.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sched/policy/lithos/timers.hpp"
#include "tenancy/loads.hpp"
#include "tenancy/metrics.hpp"

namespace heddle::tenancy {
namespace {

using sched::Decision;
using sched::RangeView;
using sched::TenantClass;
using sched::View;
using sched::lithos::LithosPolicy;
using sched::lithos::Timers;

constexpr unsigned units = 66, grain = 2;

bool uses_unit(const Decision& decision, unsigned unit) {
  if (decision.processors.empty()) return true;
  return std::binary_search(decision.processors.begin(), decision.processors.end(), unit * grain);
}

sched::lithos::Quotas quotas_of(const View& view) {
  sched::lithos::Quotas quotas;
  quotas.assign(view.tenants, units);
  return quotas;
}

// Two that own units, and two that own none.
std::vector<TenantLoad> four_tenants() {
  return {serving("resnet50", 0.75, 0.5), serving("bert", 0.25, 0.2), closed("resnet50-train"), closed("dlrm-train")};
}

// L3: more of a queue goes out only when less than the throttle is in flight.
TEST(Lithos, KeepsToItsThrottle) {
  std::uint64_t decisions_seen = 0;
  ExperimentOptions options{.seconds = 2};
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    const Timers timers(view.in_flight, 0, units, grain, view.now_ns, 300'000);
    for (const Decision& decision : decisions) {
      const auto& backlog = timers.backlog(view.ready[decision.task].queue->id);
      if (backlog.ranges == 0) continue;
      ++decisions_seen;
      EXPECT_LT(backlog.end_ns, view.now_ns + 100'000);
      EXPECT_EQ(backlog.unknown, 0u);
    }
  };
  run(sched::make_policy("lithos"), four_tenants(), options);
  EXPECT_GT(decisions_seen, 1000u);
}

// Where kernels are said to take no time, which a busy host's clock can make of them, the throttle alone bounds
// nothing.
TEST(Lithos, KeepsToItsMostRanges) {
  const sched::lithos::Options options;
  LithosPolicy policy(options);
  const std::vector<unsigned> everywhere;
  const std::vector<sched::DeviceView> devices{{.processors = 4}};
  const sched::Tenant owner{.settings = {.name = "owner", .quota = 1}};
  const std::vector<const sched::Tenant*> tenants{&owner};
  const sched::QueueView queue{.id = 3, .tenant = &owner};
  const std::vector<sched::TaskView> ready{{.id = 1, .queue = &queue, .left = {0, 8}, .blocks = 8}};
  std::vector<RangeView> running;
  const auto decided = [&] {
    View view{1'000'000, ready, devices, tenants, 1};
    view.in_flight = running;
    std::vector<Decision> decisions;
    policy.decide(view, decisions);
    return decisions.size();
  };
  while (running.size() < options.most_ranges) {
    ASSERT_EQ(decided(), 1u) << running.size();
    running.push_back({.queue = queue.id,
                       .tenant = &owner,
                       .processors = &everywhere,
                       .submitted_ns = 900'000,
                       .predicted_seconds = 0});
  }
  EXPECT_EQ(decided(), 0u);
  running.pop_back();
  EXPECT_EQ(decided(), 1u);
}

// L4: any throttle can be chosen, and the default starves no device. (In virtual time launches take no time to arrive,
// so a shorter one does not either.)
TEST(Lithos, ItsThrottleStarvesNoDevice) {
  const ExperimentOptions options{.seconds = 2};
  const auto rate = [&](int microseconds) {
    return run(sched::make_policy("lithos:throttle=" + std::to_string(microseconds)),
               {uniform("batch", 60e-6, 15e-6, 50)}, options)
        .tenants[0]
        .rate();
  };
  const double unthrottled = rate(100'000);
  for (const int microseconds : {10, 50, 100, 200, 1000}) EXPECT_GE(rate(microseconds), 0.95 * unthrottled);
}

// L10: at each decision the timers call those units busy on which a range runs, by a replay of what was submitted and
// what has ended. (One whose end is not reported may be predicted to be over.)
TEST(Lithos, TimersFollowWhatRuns) {
  struct Range {
    std::uint64_t task, begin;
    bool timed;
    sched::lithos::UnitSet used;
  };
  std::vector<Range> running;
  std::uint64_t submitted = 0, ended = 0, wrong = 0;
  const auto compare = [&](const View& view) {
    if (running.size() != view.in_flight.size()) return ++wrong;
    sched::lithos::UnitSet busy, certain;
    for (const Range& range : running) {
      busy |= range.used;
      if (range.timed) certain |= range.used;
    }
    const Timers timers(view.in_flight, 0, units, grain, view.now_ns, 300'000);
    for (unsigned unit = 0; unit < units; ++unit) {
      const bool said = timers.busy_until(unit) > view.now_ns;
      if ((said && !busy[unit]) || (!said && certain[unit])) return ++wrong;
    }
    return wrong;
  };
  ExperimentOptions options{.seconds = 4};
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    for (const sched::Completion& done : view.completions)
      ended += std::erase_if(running, [&](const Range& range) {
        return range.task == done.range.task && range.begin == done.range.blocks.begin;
      });
    compare(view);
    std::map<std::uint64_t, std::uint64_t> begin;
    for (const Decision& decision : decisions) {
      const auto& task = view.ready[decision.task];
      std::uint64_t& at = begin.try_emplace(task.id, task.left.begin).first->second;
      Range range{task.id, at, decision.timed, {}};
      for (unsigned unit = 0; unit < units; ++unit) range.used[unit] = uses_unit(decision, unit);
      at += decision.blocks == 0 ? task.left.end - at : std::min(decision.blocks, task.left.end - at);
      running.push_back(range);
      ++submitted;
    }
  };
  run(sched::make_policy("lithos"), four_tenants(), options);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(submitted, 1000u);
  EXPECT_GT(ended, 1000u);
}

// L5: who has work has its quota.
TEST(Lithos, QuotasHoldWhenAllHaveWork) {
  std::vector<TenantLoad> loads = {uniform("large", 2e-3, 20e-6), uniform("small", 2e-3, 20e-6)};
  loads[0].settings.quota = 0.75;
  loads[1].settings.quota = 0.25;
  const Outcome outcome = run(sched::make_policy("lithos"), loads, {.seconds = 4, .warm_up = 1});
  // 50 of 66 units, 16 of 66.
  EXPECT_NEAR(outcome.tenants[0].rate() / outcome.tenants[1].rate(), 50.0 / 16, 0.02 * 50 / 16);
}

// L6, L8, L9: no range is submitted to units whose owner has work, what is stolen has a low priority, and there is not
// much of it.
TEST(Lithos, StealsOnlyFromThoseWhoSleep) {
  std::uint64_t stolen = 0, arrivals = 0;
  ExperimentOptions options{.seconds = 60, .requests = 10'000};
  std::vector<TenantLoad> loads = {uniform("serve", 100e-6, 20e-6, 5), closed("resnet50-train")};
  loads[0].settings = {.name = "serve", .kind = TenantClass::latency, .quota = 0.6};
  loads[0].arrivals = Arrivals::poisson;
  loads[0].rate = 1000;
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    const auto quotas = quotas_of(view);
    for (const Decision& decision : decisions) {
      const auto& task = view.ready[decision.task];
      bool others = false;
      for (unsigned unit = 0; unit < units; ++unit) {
        const int owner = quotas.owner(unit);
        if (!uses_unit(decision, unit) || (owner >= 0 && view.tenants[owner] == task.queue->tenant)) continue;
        others = true;
        ASSERT_FALSE(owner >= 0 && view.tenants[owner]->awake()) << "unit " << unit << " at " << view.now_ns;
      }
      if (task.queue->tenant->settings.kind == TenantClass::latency) arrivals += task.ordinal == 0 ? 1 : 0;
      if (!others) continue;
      ++stolen;
      const int own = task.queue->tenant->settings.kind == TenantClass::latency ? 1 : 0;
      ASSERT_LT(decision.priority, own);
      if (own > 0) continue;  // its throttle is the limit
      std::uint64_t in_flight = 0;
      for (const RangeView& range : view.in_flight)
        in_flight += range.queue == task.queue->id && range.priority < own ? 1 : 0;
      ASSERT_LT(in_flight, 2u);
    }
  };
  run(sched::make_policy("lithos"), loads, options);
  EXPECT_GE(arrivals, 9'900u);
  EXPECT_GT(stolen, 1000u);
}

// Work of batch tenants gives way at the ends of its blocks: it keeps no latency tenant from what is lent, and several
// launches of a request go there.
TEST(Lithos, LatencyTenantsAreLentUnitsWithBatchWork) {
  std::vector<TenantLoad> loads = {uniform("serve", 100e-6, 20e-6, 5), closed("resnet50-train"), closed("bert")};
  loads[0].settings = {.name = "serve", .kind = TenantClass::latency, .quota = 0.1};
  loads[0].arrivals = Arrivals::poisson;
  loads[0].rate = 200;
  const ExperimentOptions options{.seconds = 60, .requests = 1000};
  const auto p90 = [&](const char* policy) {
    return quantile(run(sched::make_policy(policy), loads, options).tenants[0].latencies, 0.9);
  };
  EXPECT_LT(p90("lithos"), 1.2 * p90("priority"));
}

// A tenant that serves one request after the other is not asleep between them.
TEST(Lithos, NothingIsLentRightAfterTheOwnersWork) {
  for (const auto& [policy, linger] : std::vector<std::pair<const char*, std::uint64_t>>{
           {"lithos", 100'000}, {"lithos:linger=300", 300'000}, {"lithos:linger=0", 0}}) {
    std::vector<TenantLoad> loads = {uniform("serve", 100e-6, 20e-6, 5), closed("resnet50-train")};
    loads[0].settings = {.name = "serve", .kind = TenantClass::latency, .quota = 1};
    loads[0].arrivals = Arrivals::poisson;
    loads[0].rate = 500;
    std::uint64_t last = 0, earliest = ~std::uint64_t{0}, stolen = 0;
    ExperimentOptions options{.seconds = 10, .requests = 1000};
    options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
      for (const auto& done : view.completions)
        if (done.range.tenant->settings.quota > 0) last = done.end_ns;
      for (const Decision& decision : decisions) {
        if (last == 0 || view.ready[decision.task].queue->tenant->settings.quota > 0) continue;
        ++stolen;
        earliest = std::min(earliest, view.now_ns - last);
      }
    };
    run(sched::make_policy(policy), loads, options);
    EXPECT_GT(stolen, 1000u) << policy;
    EXPECT_GE(earliest, linger) << policy;
    EXPECT_LT(earliest, linger + 20'000) << policy;
  }
}

// On devices where each new set of processors takes long to make, there are few of them.
TEST(Lithos, SetsOfProcessorsAreFew) {
  std::vector<TenantLoad> loads = {serving("resnet50", 0.6, 0.5), closed("bert"), closed("mobilenet-train")};
  loads[1].settings.kind = TenantClass::latency;
  loads[1].settings.quota = 0.3;
  for (const char* policy : {"lithos", "lithos:slip=1.1"}) {
    std::set<std::vector<unsigned>> sets;
    ExperimentOptions options{.seconds = 3};
    options.gpu.set_units = 8;
    options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
      const auto quotas = quotas_of(view);
      for (const Decision& decision : decisions) {
        sets.insert(decision.processors);
        for (unsigned unit = 0; unit < units; ++unit) {
          const int owner = quotas.owner(unit);
          if (!uses_unit(decision, unit) || owner < 0) continue;
          const auto& task = view.ready[decision.task];
          ASSERT_TRUE(view.tenants[owner] == task.queue->tenant || !view.tenants[owner]->awake());
        }
      }
    };
    const Outcome outcome = run(sched::make_policy(policy), loads, options);
    for (const std::size_t owner : {0u, 1u}) EXPECT_GT(outcome.tenants[owner].rate(), 0) << policy;
    EXPECT_LE(sets.size(), 40u) << policy;
  }
}

TEST(Lithos, WhoIsAloneHasTheWholeDevice) {
  const ExperimentOptions options{.seconds = 3};
  const auto bare = run(sched::make_policy("mps-like"), {closed("resnet50-train")}, options);
  const auto managed = run(sched::make_policy("lithos"), {closed("resnet50-train")}, options);
  // L: overhead of 4 % in the paper; atoms are bounded to a tenth of each kernel.
  EXPECT_GE(managed.tenants[0].rate(), 0.9 * bare.tenants[0].rate());
  const auto whole = run(sched::make_policy("lithos:atoms=off"), {closed("resnet50-train")}, options);
  EXPECT_GE(whole.tenants[0].rate(), 0.98 * bare.tenants[0].rate());
}

// L14: a million short blocks.
TEST(Lithos, ManyShortBlocksCostLittle) {
  TenantLoad load = uniform("short", 3e-3, 20e-6, 4);
  for (KernelModel& kernel : load.model.kernels) {
    kernel.blocks = 1'000'000;
    kernel.resident_blocks = 32;
    kernel.block_seconds = 1e-6;
  }
  const ExperimentOptions options{.seconds = 3};
  const auto bare = run(sched::make_policy("mps-like"), {load}, options);
  const auto managed = run(sched::make_policy("lithos"), {load}, options);
  EXPECT_GE(managed.tenants[0].rate(), 0.95 * bare.tenants[0].rate());
}

// L15: what cannot be divided or resized is neither cut nor put onto units of others.
TEST(Lithos, CooperativeLaunchesAreWholeAndAtHome) {
  std::vector<TenantLoad> loads = {uniform("grid", 3e-3, 100e-6), closed("dlrm-train")};
  loads[0].settings.quota = 0.5;
  for (KernelModel& kernel : loads[0].model.kernels) kernel.cooperative = true;
  ExperimentOptions options{.seconds = 2};
  std::uint64_t seen = 0;
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    const auto quotas = quotas_of(view);
    for (const Decision& decision : decisions) {
      const auto& task = view.ready[decision.task];
      if (!task.traits.cooperative) continue;
      ++seen;
      EXPECT_EQ(decision.blocks, task.blocks);
      for (unsigned unit = 0; unit < units; ++unit) EXPECT_EQ(uses_unit(decision, unit), quotas.owner(unit) == 0);
    }
  };
  const Outcome outcome = run(sched::make_policy("lithos"), loads, options);
  EXPECT_GT(seen, 20u);
  EXPECT_GT(outcome.tenants[0].rate(), 0);
}

// L21: a kernel of few blocks gets the units that they fill.
TEST(Lithos, FewBlocksGetFewUnits) {
  TenantLoad load = uniform("few", 1e-3, 1e-3);
  for (KernelModel& kernel : load.model.kernels) kernel.blocks = 40;  // 2 on each of 2 SMs: 10 units
  ExperimentOptions options{.seconds = 0.5, .warm_up = 0};
  options.observe = [&](const View&, const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) EXPECT_EQ(decision.processors.size(), 20u);
  };
  EXPECT_GT(run(sched::make_policy("lithos"), {load}, options).tenants[0].rate(), 0);
}

// L22: within the slip, fewer units.
TEST(Lithos, SlipSavesUnits) {
  TenantLoad load = closed("llama3");
  load.settings.quota = 1;
  const ExperimentOptions options{.seconds = 3, .warm_up = 1};
  const auto full = run(sched::make_policy("lithos"), {load}, options);
  LithosPolicy policy(sched::lithos::parse_options("slip=1.1"));
  const auto sized = run(policy, {load}, options);
  const double saved = capacity_saving(policy.counters().unit_seconds, policy.counters().unit_seconds_unsized);
  EXPECT_GT(saved, 0.08);
  EXPECT_GE(sized.tenants[0].rate(), full.tenants[0].rate() / 1.1);
}

// L28: a new quota holds after an atom.
TEST(Lithos, QuotasChangeWithinAnAtom) {
  std::vector<TenantLoad> loads = {uniform("a", 20e-3, 100e-6), uniform("b", 20e-3, 100e-6)};
  loads[0].settings.quota = 0.75;
  loads[1].settings.quota = 0.25;
  ExperimentOptions options{.seconds = 2};
  double changed = 0;
  options.every = [&](Control& control, double now) {
    if (changed > 0 || now < 1) return;
    changed = now;
    control.set(0, {.name = "a", .quota = 0.25});
    control.set(1, {.name = "b", .quota = 0.75});
  };
  double last_old = 0;
  std::uint64_t fresh = 0;
  options.observe = [&](const View& view, const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
      if (changed == 0 || view.ready[decision.task].queue->tenant->settings.name != "a") continue;
      if (decision.processors.size() > 40)
        last_old = static_cast<double>(view.now_ns) * 1e-9;
      else
        ++fresh;
    }
  };
  run(sched::make_policy("lithos"), loads, options);
  EXPECT_LE(last_old, changed + 500e-6);
  EXPECT_GT(fresh, 100u);
}

}  // namespace
}  // namespace heddle::tenancy
