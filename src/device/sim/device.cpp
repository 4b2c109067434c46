#include "device/emulated/device.hpp"

#include <algorithm>
#include <utility>

#include "device/sim/cuda_attributes.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/simulator.hpp"

namespace heddle::device::sim {
namespace {

// With the clock, which all of the device's state uses to its end.
struct SimState {
  SimState(machine::Options options, const std::shared_ptr<base::Watcher>& watcher)
      : clock(watcher->clock()), device(std::move(options), clock, watcher) {}
  VirtualClock clock;
  emulated::DeviceState device;
};

DeviceInfo info_of(const MachineDescription& machine, const std::string& id) {
  DeviceInfo info;
  info.id = id;
  info.name = machine.title.empty() ? machine.name : machine.title + ", simulated";
  info.processors = machine.sms;
  info.capability = machine.capability;
  info.managed_memory = true;
  info.verifies = true;
  info.simulated = true;
  info.max_threads_per_block = machine.residency.block_threads;
  info.max_block[0] = info.max_block[1] = machine.residency.block_threads;
  info.max_block[2] = std::min(machine.residency.block_threads, 64u);
  info.max_shared_per_block = machine.residency.block_shared_bytes;
  return info;
}

class SimDevice : public emulated::EmulatedDevice {
 public:
  SimDevice(std::shared_ptr<emulated::DeviceState> state, DeviceInfo info, MachineDescription machine)
      : EmulatedDevice(std::move(state), std::move(info)), machine_(std::move(machine)) {}
  std::optional<int> cuda_attribute(int number) const override { return sim::cuda_attribute(machine_, number); }

 private:
  const MachineDescription machine_;
};

}  // namespace

std::unique_ptr<Device> make_sim_device(SimOptions options) {
  if (!options.watcher) options.watcher = base::process_watcher();
  options.deadlock_timeout = deadlock_patience(options.deadlock_timeout);
  machine::Options core;
  core.poison = options.poison;
  core.print = options.print;
  core.executor = "the simulator";
  auto all = std::make_shared<SimState>(std::move(core), options.watcher);
  const MachineDescription machine = options.machine;
  const DeviceInfo info = info_of(machine, options.id);
  all->device.engine = std::make_unique<Simulator>(all->device, all->clock, std::move(options));
  return std::make_unique<SimDevice>(std::shared_ptr<emulated::DeviceState>(all, &all->device), info, machine);
}

}  // namespace heddle::device::sim
