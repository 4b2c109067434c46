// What kernels do on a simulated GPU: profiles of a few blocks, and how fast kernels run together. Kernelet (Zhong and
// He, arXiv 1303.5164), sections 4.3 to 4.5.
#pragma once

#include <span>
#include <vector>

#include "batch/kernel.hpp"
#include "device/sim/machine_file/description.hpp"
#include "model/occupancy.hpp"

namespace heddle::batch {

// What an SM of the machine holds, as the model of occupancy takes it.
model::SmLimits limits_of(const device::sim::MachineDescription& machine);
// Instructions of warps that an SM can issue in a cycle, one for each turn of a scheduler.
double peak_ipc(const device::sim::MachineDescription& machine);
// Schedulers that the model divides the SM into: those that together issue one instruction or more in a cycle.
unsigned model_schedulers(const device::sim::MachineDescription& machine);

// A kernel with so many blocks on each SM.
struct Share {
  Kernel* kernel = nullptr;
  unsigned blocks = 1;
};

struct RateOptions {
  unsigned slices = 2;  // of each kernel that are counted, after a first one
  unsigned ahead = 3;   // in flight of each
};
// How many blocks of each kernel end in a cycle of the machine while all run, slice after slice. Deterministic. Throws
// the error of a kernel.
std::vector<double> steady_rates(device::Device& device, std::span<const Share> shares, RateOptions options = {});

// Runs one full device of blocks to count, then a few more for the IPC. Deterministic.
sched::KernelTraits profile(device::Device& device, Kernel& kernel, RateOptions options = {});

// The same numbers as text, a line each.
std::string profile_text(const Kernel& kernel, const sched::KernelTraits& traits, const model::SmLimits& limits);

}  // namespace heddle::batch
