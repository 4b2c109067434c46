// A machine file in the terms of the model of co-running kernels, and what kernels do on such a machine.
#pragma once

#include "batch/kernel.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/stepped.hpp"
#include "model/occupancy.hpp"
#include "sched/kernel_traits.hpp"

namespace heddle::batch {

// What an SM of the machine holds, as the model of occupancy takes it.
model::SmLimits limits_of(const device::sim::MachineDescription& machine);
// Instructions of warps that an SM can issue in a cycle, one for each turn of a scheduler.
double peak_ipc(const device::sim::MachineDescription& machine);
// Schedulers that the model divides the SM into: those that together issue one instruction or more in a cycle.
unsigned model_schedulers(const device::sim::MachineDescription& machine);

// The model of the machine: what it holds, its constants, and the time of a launch.
sched::CoRunDevice corun_of(const device::sim::MachineDescription& machine, const model::MemoryLatency& latency);

// The first `blocks` blocks of the kernel alone, from the start of the launch to its end.
device::sim::KernelStatistics run_alone(device::sim::SteppedMachine& machine, Kernel& kernel, std::uint64_t blocks);

// Fills the machine once with blocks of the kernel, alone, and puts into `made` what they do: `needs`, `profile`,
// `block_instructions`, `demands` without the cycles away, and in `memory_use` the part of the time in which DRAM moves
// data. Returns the cycles of SMs for which a block keeps all of the machine's DRAM busy.
double count_alone(device::sim::SteppedMachine& machine, Kernel& kernel, model::Candidate& made);

}  // namespace heddle::batch
