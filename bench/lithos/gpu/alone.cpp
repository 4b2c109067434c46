#include <fmt/format.h>

#include <algorithm>

#include "gpu/experiments.hpp"
#include "support/statistics.hpp"
#include "tenancy/metrics.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

// Seconds of a closed load's requests, and what its last step has written.
std::vector<double> requests(Machine& machine, const Sequence& sequence, int rounds) {
  const Tenant tenant = machine.runtime().tenant({.name = "alone", .kind = TenantKind::latency, .quota = 1});
  const Queue queue = tenant.queue(machine.device());
  const Buffers buffers = machine.buffers(sequence.warps());
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double start = now();
    for (const Step& step : sequence.steps) machine.launch(queue, step, buffers);
    queue.synchronize();
    times.push_back(now() - start);
  }
  return times;
}

// Seconds by which the clock of events is behind the host's now. The time until the host notices an end counts too.
double clock_away(const Machine& machine) {
  const Queue queue = machine.device().queue();
  const Event event = machine.device().event();
  double least = 1;
  for (int i = 0; i < 50; ++i) {
    queue.record(event);
    queue.synchronize();
    least = std::min(least, now() - 1e-9 * static_cast<double>(event.completed_ns()));
  }
  return least;
}

// What each step writes, all together.
std::vector<std::uint32_t> results(Machine& machine, const Sequence& sequence) {
  const Tenant tenant = machine.runtime().tenant({.name = "results", .kind = TenantKind::latency, .quota = 0.5});
  const Queue queue = tenant.queue(machine.device());
  const Buffers buffers = machine.buffers(sequence.warps());
  std::vector<std::uint32_t> all;
  for (const Step& step : sequence.steps) {
    machine.clear(buffers.out);
    machine.launch(queue, step, buffers);
    queue.synchronize();
    const auto some = machine.read(buffers.out, step.blocks * ((step.threads + 31) / 32));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

void alone(Bench& bench, Table& table) {
  Machine machine(bench.settings(), "lithos");
  std::vector<double> ratios;
  for (const char* name : {"resnet50", "yolov4", "vgg19-train"}) {
    const Sequence& sequence = bench.sequence(name);
    const int rounds = std::clamp(static_cast<int>(bench.settings().seconds / 2 / sequence.seconds), 4, 200);
    // In turns, so that a drift of the machine meets both.
    std::vector<double> ours, bare;
    requests(machine, sequence, 2);
    for (int turn = 0; turn < 4; ++turn) {
      for (const double each : requests(machine, sequence, (rounds + 3) / 4)) ours.push_back(each);
      for (const double each : requests(bench.bare(), sequence, (rounds + 3) / 4)) bare.push_back(each);
    }
    const double ratio = median(ours) / median(bare);
    ratios.push_back(ratio);
    table.add(fmt::format("{}, time under lithos over bare", name), ratio, "x", std::nullopt, "", "no policy");
  }
  table.add("time under lithos over bare", tenancy::mean(ratios), "x", at_most(1.02), "1.04", "no policy");
  table.add("host's clock before that of events, runtime of some seconds", 1e6 * clock_away(machine), "us");
  table.add("host's clock before that of events, oldest runtime", 1e6 * clock_away(bench.bare()), "us");
  std::uint64_t different = 0;
  for (const char* name : {"resnet50", "dlrm-train"}) {
    const auto expected = results(bench.bare(), bench.sequence(name)), ours = results(machine, bench.sequence(name));
    for (std::size_t i = 0; i < expected.size(); ++i) different += expected[i] != ours[i] ? 1 : 0;
    different += expected.size() != ours.size() ? 1 : 0;
  }
  table.add("numbers that differ from those without a policy", static_cast<double>(different), "", at_most(0), "",
            "no policy");
  table.print("A tenant that has the device for itself");
}

void sizing(Bench& bench, Table& table) {
  std::vector<double> saved, slower;
  double predicted = 0, missed = 0, latency = 0, latency_missed = 0;
  for (const char* name : {"resnet50", "bert", "yolov4"}) {
    const Load load = bench.closed(bench.sequence(name), TenantKind::latency, 1);
    double full = 0;
    for (const char* policy : {"lithos", "lithos:slip=1.1"}) {
      Machine machine(bench.settings(), policy);
      Together made = run_together(machine, bench.settings(), {load}, bench.settings().seconds / 2);
      if (full == 0) {
        full = made.tenants[0].rate;
        latency += made.figures["predictions of latency tenants"];
        latency_missed += made.figures["predictions of latency tenants missed"];
        continue;
      }
      slower.push_back(full / made.tenants[0].rate);
      saved.push_back(100 * tenancy::capacity_saving(made.figures["unit seconds"],
                                                     made.figures["unit seconds without right-sizing"]));
      table.add(fmt::format("{}, units saved at slip 1.1", name), saved.back(), "%");
      table.add(fmt::format("{}, time at slip 1.1", name), slower.back(), "x");
    }
  }
  table.add("units saved at slip 1.1", tenancy::mean(saved), "%", at_least(26), "26", "all units");
  table.add("time at slip 1.1", tenancy::mean(slower), "x", at_most(1.04), "1.04", "all units");
  Machine machine(bench.settings(), "lithos");
  const Load serve = bench.serving("yolov4", 1, bench.settings().load);
  const Load train = bench.closed(bench.sequence("vgg19-train"), TenantKind::batch, 0);
  Together made = run_together(machine, bench.settings(), {serve, train}, bench.settings().seconds);
  const double both = made.figures["predictions of latency tenants"],
               both_missed = made.figures["predictions of latency tenants missed"];
  predicted += made.figures["predictions"] - both;
  missed += made.figures["predictions missed"] - both_missed;
  table.add("predictor, misses of a latency tenant alone", 100 * latency_missed / std::max(latency, 1.0), "%");
  table.add("predictor, misses of a latency tenant beside a training", 100 * both_missed / std::max(both, 1.0), "%",
            at_most(1), "0.38");
  table.add("predictor, misses of the training", 100 * missed / std::max(predicted, 1.0), "%", at_most(10), "11");
  table.print("Right-sizing, and the predictor");
}

}  // namespace heddle::bench::lithos_gpu
