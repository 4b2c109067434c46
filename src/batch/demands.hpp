// What instructions of a kernel need of the units of a simulated SM, for the model of src/model/corun/network.hpp.
#pragma once

#include "device/sim/machine_file/description.hpp"
#include "device/sim/stepped.hpp"
#include "model/corun/network.hpp"

namespace heddle::batch {

// From the counts of a launch that was alone on the machine. `away` is left 0.
model::Demands demands_of(const device::sim::KernelStatistics& counted, const device::sim::MachineDescription& machine);

}  // namespace heddle::batch
