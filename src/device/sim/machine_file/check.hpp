// Which values of a description contradict each other.
#pragma once

#include <optional>
#include <string>

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

struct Contradiction {
  std::string path;     // "l1.ways"
  std::string message;  // what is allowed
};
// The first one that is found; each value is within the range of its field.
std::optional<Contradiction> find_contradiction(const MachineDescription& machine);

}  // namespace heddle::device::sim
