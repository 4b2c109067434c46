// A simulated GPU whose caller lets time pass: for schedulers that must be asked at exact cycles, and for measurements
// that are the same in every run. The device's queues must not be used meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "device/launch_config.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/statistics.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::sim {

class Simulator;

// One thread at a time.
class SteppedMachine {
 public:
  // A launch that is done.
  struct Ended {
    std::uint64_t id = 0;
    Cycle start = 0, end = 0;
    KernelStatistics statistics;  // with what other launches did meanwhile
  };
  // A launch under way.
  struct Progress {
    std::uint64_t id = 0;
    std::uint64_t ended_blocks = 0, live_blocks = 0;
  };

  // The device outlives it. Throws invalid_argument if the device is not a simulated GPU, or is to sample launches or
  // write files about them.
  explicit SteppedMachine(Device& device);
  ~SteppedMachine();
  SteppedMachine(const SteppedMachine&) = delete;
  SteppedMachine& operator=(const SteppedMachine&) = delete;

  const MachineDescription& machine() const;
  Cycle now() const;
  // How an SM sees a block of the kernel: registers of a thread, by the estimate that the device uses.
  unsigned registers(Function& function) const;

  // Begins a launch now; its first block starts when the machine has taken the launch. Returns its number. Throws as
  // Queue::launch does.
  std::uint64_t launch(Function& function, const LaunchConfig& config, BlockRange range,
                       std::span<const std::byte> arguments);
  // Lets an epoch pass (twice the crossbar's latency) or a long time in which nothing happens, or up to `cycle` if
  // nothing is under way. Throws what kernels throw: kernel_fault, also for a launch whose time is over
  // (SimOptions::launch_timeout); deadlock if nothing can happen any more, or if all threads wait in loops and nothing
  // changes in memory: no launch waits for what a later one writes. Launches under way then end with this machine.
  void advance();
  void skip_to(Cycle cycle);
  bool idle() const { return launches_.empty(); }
  std::vector<Progress> progress() const;
  // Those that have ended since the last call, in the order of their ends.
  std::vector<Ended> take_ended();

 private:
  struct Launch;
  Simulator& simulator_;
  std::vector<std::unique_ptr<Launch>> launches_;
  std::vector<Ended> ended_;
  std::uint64_t made_ = 0;
  Cycle idle_until_ = 0;  // of the machine's own time
  Cycle skipped_ = 0;     // that are not in the machine's own time
};

}  // namespace heddle::device::sim
