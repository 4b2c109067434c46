#include <algorithm>
#include <map>
#include <utility>

#include "base/fail.hpp"
#include "batch/executor.hpp"
#include "device/sim/stepped.hpp"

namespace heddle::batch {
namespace {

class SimulatedExecutor final : public Executor {
 public:
  explicit SimulatedExecutor(device::Device& device) : machine_(device), begin_(machine_.now()) {}
  unsigned processors() const override { return machine_.machine().sms; }
  std::uint64_t now_ns() const override { return ns_of(machine_.now()); }
  void submit(Kernel& kernel, BlockRange range, Done done) override {
    const std::uint64_t id = machine_.launch(kernel.function(), kernel.config(), range, kernel.arguments());
    done_.emplace(id, Launch{&kernel, std::move(done)});
  }
  void wait(std::optional<std::uint64_t> until_ns) override {
    if (machine_.idle()) {
      if (until_ns) machine_.skip_to(cycle_of(*until_ns));
      return;
    }
    while (!machine_.idle() && (!until_ns || now_ns() < *until_ns)) {
      advance();
      const auto ended = machine_.take_ended();
      for (const auto& launch : ended) {
        const auto at = done_.find(launch.id);
        const Done done = std::move(at->second.done);
        done_.erase(at);
        done(ns_of(launch.end));
      }
      if (!ended.empty()) return;
    }
  }
  bool idle() const override { return machine_.idle(); }

 private:
  struct Launch {
    const Kernel* kernel;
    Done done;
  };
  void advance() {
    try {
      machine_.advance();
    } catch (const Error& error) {
      std::set<const Kernel*> kernels;
      for (const auto& [id, launch] : done_) kernels.insert(launch.kernel);
      throw with_place(error, kernels);
    }
  }
  // Of 64 bits: a job may arrive years after the first, and a rounded time would never be reached.
  std::uint64_t ns_of(device::sim::Cycle cycle) const {
    return static_cast<std::uint64_t>(static_cast<long double>(cycle - begin_) * 1000 / mhz());
  }
  // The first cycle that is not before.
  device::sim::Cycle cycle_of(std::uint64_t ns) const {
    constexpr long double most = 1e19L;
    const long double cycles = static_cast<long double>(ns) * mhz() / 1000;
    if (cycles > most)
      base::fail(ErrorCode::invalid_argument,
                 "a launch would arrive after {} s, which are more cycles than {} can count", ns / 1'000'000'000,
                 machine_.machine().name);
    auto cycle = begin_ + static_cast<device::sim::Cycle>(cycles);
    while (ns_of(cycle) < ns) ++cycle;
    return cycle;
  }
  long double mhz() const { return machine_.machine().clocks.sm_mhz; }

  device::sim::SteppedMachine machine_;
  const device::sim::Cycle begin_;
  std::map<std::uint64_t, Launch> done_;
};

}  // namespace

std::unique_ptr<Executor> make_simulated_executor(device::Device& device) {
  return std::make_unique<SimulatedExecutor>(device);
}

std::unique_ptr<Executor> make_executor(device::Device& device, std::shared_ptr<base::Watcher> watcher) {
  return device.info().simulated ? make_simulated_executor(device) : make_queue_executor(device, std::move(watcher));
}

}  // namespace heddle::batch
