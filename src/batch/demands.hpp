// What instructions of a kernel need of the units of a simulated SM, for the model of src/model/corun/network.hpp.
#pragma once

#include "batch/kernel.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/stepped.hpp"
#include "model/corun/network.hpp"

namespace heddle::batch {

// From the counts of a launch that was alone on the machine. `away` is left 0.
model::Demands demands_of(const device::sim::KernelStatistics& counted, const device::sim::MachineDescription& machine);

// The cycles away: runs one block on each SM, where warps hardly wait for one another. Throws what launches throw.
double measure_away(device::sim::SteppedMachine& machine, Kernel& kernel, const model::Demands& demands);

}  // namespace heddle::batch
