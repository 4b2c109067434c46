// What kernels do on a simulated GPU: profiles of a few blocks, and how fast kernels run together. Kernelet (Zhong and
// He, arXiv 1303.5164), sections 4.3 to 4.5.
#pragma once

#include <span>
#include <vector>

#include "batch/kernel.hpp"
#include "device/sim/machine_file/description.hpp"
#include "model/occupancy.hpp"
#include "sched/policy/slice_plan.hpp"

namespace heddle::batch {

// What an SM of the machine holds, as the model of occupancy takes it.
model::SmLimits limits_of(const device::sim::MachineDescription& machine);
// Instructions of warps that an SM can issue in a cycle, one for each turn of a scheduler.
double peak_ipc(const device::sim::MachineDescription& machine);
// Schedulers that the model divides the SM into: those that together issue one instruction or more in a cycle.
unsigned model_schedulers(const device::sim::MachineDescription& machine);

// The model of a simulated GPU: what it holds, its constants, and the time of a launch.
sched::CoRunDevice corun_of(const device::sim::MachineDescription& machine, const model::MemoryLatency& latency);

// A kernel with so many blocks on each SM, in slices.
struct Share {
  Kernel* kernel = nullptr;
  unsigned blocks = 1;
  sched::SlicePlan plan = {};
};

// How many blocks of each kernel end in a cycle of the machine while all run, slice after slice. Blocks are counted
// from the first `blocks` of each SM until `rounds` times as many have ended, of each kernel. Deterministic. Throws the
// error of a kernel.
std::vector<double> steady_rates(device::Device& device, std::span<const Share> shares, unsigned rounds);

struct ProfileOptions {
  unsigned rounds = 2;  // of full devices, for the IPC
  // How much more time a kernel may take in slices of the smallest size than whole (section 4.1: p).
  double overhead = .02;
};
// Runs one full device of blocks to count, then a few more for the IPC, then some in slices of several sizes for the
// smallest one. Deterministic.
sched::KernelTraits profile(device::Device& device, Kernel& kernel, const sched::CoRunDevice& corun,
                            ProfileOptions options = {});

// The same numbers as text, a line each.
std::string profile_text(const Kernel& kernel, const sched::KernelTraits& traits, const model::SmLimits& limits);

}  // namespace heddle::batch
