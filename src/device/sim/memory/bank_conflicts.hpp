// Conflicts at the banks of shared memory: how many passes an access needs. One pass serves `lanes` threads, a bank
// gives one word in it. Words of more than a bank take the threads in smaller groups.
#pragma once

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

struct Passes {
  unsigned needed = 0;
  unsigned least = 0;  // without conflicts
};

// Addresses are offsets in shared memory. An atomic operation takes atomic_passes for each thread at a bank.
Passes shared_passes(const SharedMemory& shared, const WarpAccess& access);

}  // namespace heddle::device::sim
