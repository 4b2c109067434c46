// What an SM has to work with, whatever its policies: speed-ups between policies mean something where this is equal
// (Simultaneous Branch and Warp Interweaving, SH4).
#pragma once

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

struct SmResources {
  unsigned threads = 0;       // resident at a time
  unsigned instructions = 0;  // fetched and issued in a cycle
  // Lanes of units: results a cycle, by class.
  double fma = 0, alu = 0, fp64 = 0, sfu = 0, lsu = 0;
  bool operator==(const SmResources&) const = default;
};

// Throws not_found for policies that there are not.
SmResources resources_of(const MachineDescription& machine);

}  // namespace heddle::device::sim
