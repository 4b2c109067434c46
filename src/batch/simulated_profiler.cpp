#include <algorithm>
#include <map>

#include "base/fail.hpp"
#include "batch/machine_model.hpp"
#include "batch/profiler.hpp"

namespace heddle::batch {
namespace {

using device::sim::SteppedMachine;

class SimulatedProfiler final : public Profiler {
 public:
  explicit SimulatedProfiler(device::Device& device) : device_(device), machine_(SteppedMachine(device).machine()) {}
  unsigned processors() const override { return machine_.sms; }
  double peak_ipc() const override { return batch::peak_ipc(machine_); }
  sched::CoRunDevice corun(const model::MemoryLatency& latency) override { return corun_of(machine_, latency); }
  double count(Kernel& kernel, model::Candidate& made) override {
    SteppedMachine machine(device_);
    return count_alone(machine, kernel, made);
  }
  std::vector<SteadyRate> steady_rates(std::span<const Share> shares, unsigned rounds) override;

 private:
  device::Device& device_;
  const device::sim::MachineDescription machine_;
};

// The launches of all shares on a machine.
class Launches {
 public:
  Launches(SteppedMachine& machine, std::span<const Share> shares) : machine_(machine) {
    for (const Share& share : shares) shares_.emplace_back(share, machine.machine().sms);
  }
  void fill() {
    while (SteadyShare* const next = emptiest(shares_)) {
      const BlockRange range = next->take();
      const Kernel& kernel = next->kernel();
      const auto id = machine_.launch(kernel.function(), kernel.config(), range, kernel.arguments());
      running_[id] = {next, range.size()};
    }
  }
  void advance() {
    machine_.advance();
    for (const auto& ended : machine_.take_ended()) {
      const Running& one = running_.at(ended.id);
      one.share->end(one.blocks);
      running_.erase(ended.id);
    }
    fill();
    std::map<const SteadyShare*, std::uint64_t> more;
    const bool warm = all_warm(shares_);
    for (const auto& launch : machine_.progress()) {
      const SteadyShare* const share = running_.at(launch.id).share;
      more[share] += launch.ended_blocks;
      if (warm) live_[share] += launch.live_blocks;
    }
    looks_ += warm ? 1 : 0;
    for (SteadyShare& share : shares_) share.see(machine_.now(), more[&share], warm);
  }
  const std::vector<SteadyShare>& shares() const { return shares_; }
  // Blocks on an SM since all were warm, on the mean.
  double on_sm(const SteadyShare& share) {
    return static_cast<double>(live_[&share]) / std::max<std::uint64_t>(1, looks_) / machine_.machine().sms;
  }

 private:
  struct Running {
    SteadyShare* share;
    std::uint64_t blocks;
  };
  SteppedMachine& machine_;
  std::vector<SteadyShare> shares_;
  std::map<std::uint64_t, Running> running_;
  std::map<const SteadyShare*, std::uint64_t> live_;  // blocks, added up over all looks
  std::uint64_t looks_ = 0;
};

std::vector<SteadyRate> SimulatedProfiler::steady_rates(std::span<const Share> shares, unsigned rounds) {
  SteppedMachine machine(device_);
  Launches launches(machine, shares);
  launches.fill();
  const auto enough = [&](const SteadyShare& share) { return share.enough(rounds); };
  while (!std::all_of(launches.shares().begin(), launches.shares().end(), enough)) launches.advance();
  std::vector<SteadyRate> rates;
  for (const SteadyShare& share : launches.shares()) rates.push_back({share.rate(), launches.on_sm(share)});
  return rates;
}

}  // namespace

std::unique_ptr<Profiler> make_simulated_profiler(device::Device& device) {
  return std::make_unique<SimulatedProfiler>(device);
}

std::unique_ptr<Profiler> make_profiler(device::Device& device, std::shared_ptr<base::Watcher> watcher) {
  if (device.info().simulated) return make_simulated_profiler(device);
  if (device.info().capability != 0) return make_gpu_profiler(device, std::move(watcher));
  base::fail(ErrorCode::unsupported, "kernels have profiles on GPUs, real and simulated; '{}' is neither",
             device.info().id);
}

}  // namespace heddle::batch
