// A GPU that is simulated cycle by cycle: kernels run on it with their results, and its clock shows the time that they
// would take there. docs/simulator.md describes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/watcher.hpp"
#include "device/deadlock_patience.hpp"
#include "device/device.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/record/record_options.hpp"
#include "device/sim/statistics.hpp"

namespace heddle::device::sim {

struct SimOptions {
  MachineDescription machine;
  std::string id = "sim";
  bool ideal_memory = false;  // fixed latency, unlimited bandwidth
  unsigned host_threads = 1;  // that simulate SMs; cycles do not depend on it
  RecordOptions record;       // files about each launch
  // Waves of blocks of a launch that are simulated; the device that `native` makes executes the others. 0: all blocks
  // are simulated.
  unsigned sample_waves = 0;
  // Makes a device of the host with managed memory, whose kernels have the same results. Null: launches are not
  // sampled.
  std::function<std::unique_ptr<Device>()> native = {};
  // Of real time that a launch may take from its first block on; then it fails with KernelFault::timeout. 0: for ever.
  std::chrono::milliseconds launch_timeout{0};
  // What deadlock_patience() is asked with. Of real time.
  std::chrono::milliseconds deadlock_timeout = usual_deadlock_patience;
  // As machine::Options has them.
  bool poison = false;
  bool audit = false;  // after each cycle, what must hold for every policy is looked at (policies/audit.hpp)
  std::function<void(std::string_view)> print;
  // Called after each launch that has not failed, with the kernel's name. By one thread at a time.
  std::function<void(const std::string& kernel, const KernelStatistics&)> on_launch;
  // Runs the callbacks of events. Null: base::process_watcher().
  std::shared_ptr<base::Watcher> watcher = {};
};

// Queues, modules, memory and events of the device must be destroyed before it. Throws not_found for a policy that does
// not exist.
std::unique_ptr<Device> make_sim_device(SimOptions options);

// "sim:fermi-gtx480,divergence=nrec,scheduler=gto,threads=2,memory=ideal,report=text": a machine (a preset's name or a
// file), then options in any order: policies, `threads` (of the host), `memory` (full, ideal), `sample` (waves of
// blocks of a launch that are simulated), `report` (none; text: after each launch its figures on stdout; or a file for
// them, NAME.json), `trace` (a file for events of warps, NAME.json), `trace-cycles`, `trace-launches`. Throws not_found
// and invalid_argument.
SimOptions parse_sim_options(std::string_view text);

// The figures of a launch, a line each, as "cycles     12345".
std::string report_text(const std::string& kernel, const KernelStatistics& statistics);

}  // namespace heddle::device::sim
