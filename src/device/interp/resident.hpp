// A resident block and the state of its scheduling.
#pragma once

#include <cstdint>
#include <vector>

#include "device/machine/block.hpp"
#include "device/machine/spin_watch.hpp"

namespace heddle::device::interp {

struct WarpTurns {
  std::uint64_t steps = 0;
  std::uint64_t lead_steps = 0;    // steps in which the first group alone has run
  std::uint64_t gather_steps = 0;  // steps in which a gathering group has waited
};

struct ThreadTurns {
  std::uint64_t last_run = 0;  // the warp's step count when it last ran
  machine::SpinWatch spin;
};

struct Resident {
  Resident(const machine::Grid& grid, std::uint64_t linear_id)
      : block(grid, linear_id), warps(block.warps.size()), threads(block.threads.size()) {}
  machine::Block block;
  std::vector<WarpTurns> warps;      // by number of the warp
  std::vector<ThreadTurns> threads;  // by number in the block
};

}  // namespace heddle::device::interp
