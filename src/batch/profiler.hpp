// What profiles of kernels need of a GPU: what blocks do, and how fast kernels run together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/watcher.hpp"
#include "batch/steady_share.hpp"
#include "sched/kernel_traits.hpp"

namespace heddle::batch {

// Of a kernel while others run beside it.
struct SteadyRate {
  double blocks = 0;  // that end in a cycle
  double on_sm = 0;   // blocks on an SM, on the mean; 0: not known
};

// Of one device, which outlives it; nothing else may use the device during a call. One thread at a time.
class Profiler {
 public:
  virtual ~Profiler() = default;
  virtual unsigned processors() const = 0;
  // Instructions of warps that an SM can issue in a cycle.
  virtual double peak_ipc() const = 0;
  // The model of the device with these constants.
  virtual sched::CoRunDevice corun(const model::MemoryLatency& latency) = 0;
  // `needs`, `profile` and `block_instructions` of one full device of blocks. Returns the cycles for which a block
  // keeps all of the device's memory busy. Throws what launches throw.
  virtual double count(Kernel& kernel, model::Candidate& made) = 0;
  // How fast blocks of each kernel end while all run, slice after slice. Blocks are counted from
  // the first `blocks` of each SM until `rounds` times as many have ended, of each kernel. Throws the error of a
  // kernel.
  virtual std::vector<SteadyRate> steady_rates(std::span<const Share> shares, unsigned rounds) = 0;
};

// For simulated GPUs, deterministic, and for GPUs. Throws unsupported for other devices.
std::unique_ptr<Profiler> make_profiler(device::Device& device, std::shared_ptr<base::Watcher> watcher);
std::unique_ptr<Profiler> make_simulated_profiler(device::Device& device);
// The GPU gives what can be measured: rates, and the time of a launch. What a kernel does in memory is counted on one
// simulated SM of the machine file that is nearest to the GPU, on copies of the arrays.
std::unique_ptr<Profiler> make_gpu_profiler(device::Device& device, std::shared_ptr<base::Watcher> watcher);

}  // namespace heddle::batch
