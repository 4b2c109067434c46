#include "tenancy/experiment.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "sched/dispatcher.hpp"
#include "tenancy/client.hpp"
#include "tenancy/virtual_watcher.hpp"

namespace heddle::tenancy {
namespace {

constexpr std::uint64_t tick_ns = 10'000'000;

std::uint64_t nanoseconds(double seconds) {
  return std::isfinite(seconds) ? static_cast<std::uint64_t>(std::ceil(seconds * 1e9)) : VirtualGpu::never;
}

// Passes all on, and counts.
class Observed final : public sched::Policy {
 public:
  Observed(sched::Policy& policy, const ExperimentOptions& options, std::uint64_t& ranges)
      : policy_(policy), options_(options), ranges_(ranges) {}
  bool sees_ranges() const override { return policy_.sees_ranges() || options_.observe; }
  void decide(const sched::View& view, std::vector<sched::Decision>& decisions) override {
    policy_.decide(view, decisions);
    ranges_ += decisions.size();
    if (options_.observe) options_.observe(view, decisions);
  }
  std::optional<std::uint64_t> wake_ns(const sched::View& view) override { return policy_.wake_ns(view); }
  std::string explain() const override { return policy_.explain(); }

 private:
  sched::Policy& policy_;
  const ExperimentOptions& options_;
  std::uint64_t& ranges_;
};

class Machine final : public Control {
 public:
  Machine(sched::Policy& policy, const std::vector<TenantLoad>& loads, const ExperimentOptions& options)
      : options_(options),
        gpu_(options.gpu),
        dispatcher_(
            std::make_unique<Observed>(policy, options, ranges_),
            {{.processors = options.gpu.units * options.gpu.grain,
              .grain = options.gpu.grain,
              .set_units = options.gpu.set_units}},
            [this](std::size_t, const std::vector<unsigned>& processors) { return partition(processors); }, mutex_,
            watcher_) {
    std::uint32_t stream = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      clients_.push_back(std::make_unique<Client>(loads[i], dispatcher_, mutex_, gpu_, stream,
                                                  options.seed * 0x9e3779b97f4a7c15ULL + i));
      stream += loads[i].streams;
    }
  }

  VirtualGpu& gpu() override { return gpu_; }
  void set(std::size_t tenant, const sched::TenantSettings& settings) override {
    const base::Lock lock(mutex_);
    dispatcher_.set_tenant(clients_[tenant]->tenant(), settings);
  }

  Outcome run() {
    for (const auto& client : clients_) client->start();
    const std::uint64_t end = nanoseconds(options_.seconds);
    std::uint64_t tick = tick_ns;
    while (options_.requests == 0 || arrived_ < options_.requests) {
      std::uint64_t next = std::min({gpu_.next_ns(), watcher_->next_ns(), tick});
      for (const auto& client : clients_) next = std::min(next, nanoseconds(client->next_arrival()));
      if (next > end) break;
      step(next);
      if (next < tick) continue;
      tick += tick_ns;
      if (options_.every) options_.every(*this, static_cast<double>(next) * 1e-9);
    }
    return outcome();
  }

 private:
  void step(std::uint64_t next) {
    clock_->advance(next - clock_->now_ns());
    gpu_.advance(next);
    watcher_->run();
    for (const auto& client : clients_) {
      if (nanoseconds(client->next_arrival()) > next) continue;
      client->arrive(client->next_arrival());
      ++arrived_;
    }
  }

  const device::Partition* partition(const std::vector<unsigned>& processors) {
    auto found = partitions_.find(processors);
    if (found == partitions_.end())
      found = partitions_.emplace(processors, std::make_unique<VirtualPartition>(processors, options_.gpu.grain)).first;
    return found->second.get();
  }

  Outcome outcome() {
    Outcome made;
    made.seconds = static_cast<double>(clock_->now_ns()) * 1e-9;
    made.utilisation = gpu_.unit_seconds() / (made.seconds * options_.gpu.units);
    made.joules = gpu_.joules();
    made.ranges = ranges_;
    made.digest = 1469598103934665603ULL;
    for (const auto& client : clients_) {
      made.tenants.push_back(client->result(options_.warm_up, made.seconds));
      for (const double latency : made.tenants.back().latencies)
        made.digest = (made.digest ^ std::bit_cast<std::uint64_t>(latency)) * 1099511628211ULL;
    }
    return made;
  }

  const ExperimentOptions& options_;
  const std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  const std::shared_ptr<VirtualWatcher> watcher_ = std::make_shared<VirtualWatcher>(clock_);
  base::Mutex mutex_;
  VirtualGpu gpu_;
  std::uint64_t ranges_ = 0, arrived_ = 0;
  std::map<std::vector<unsigned>, std::unique_ptr<VirtualPartition>> partitions_;
  sched::Dispatcher dispatcher_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace

Outcome run(sched::Policy& policy, const std::vector<TenantLoad>& loads, const ExperimentOptions& options) {
  Machine machine(policy, loads, options);
  return machine.run();
}

Outcome run(std::unique_ptr<sched::Policy> policy, const std::vector<TenantLoad>& loads,
            const ExperimentOptions& options) {
  return run(*policy, loads, options);
}

}  // namespace heddle::tenancy
