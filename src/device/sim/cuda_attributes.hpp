// What a simulated machine is in CUDA's terms.
#pragma once

#include <optional>

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

// The value of an attribute by its number in CUDA, as far as the machine's description states it.
std::optional<int> cuda_attribute(const MachineDescription& machine, int number);

}  // namespace heddle::device::sim
