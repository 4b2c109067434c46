// The shape of a launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/dim3.hpp"

namespace heddle::device {

struct LaunchConfig {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // all blocks make progress together: grid-wide synchronisation is allowed
};

// Cooperative launches have so much zeroed memory of their own, 16-byte aligned, whose address %envreg1 (upper half)
// and %envreg2 give: there NVIDIA's cooperative groups count the blocks that have come to grid.sync().
inline constexpr std::size_t grid_workspace_bytes = 256;

}  // namespace heddle::device
