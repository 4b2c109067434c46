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

// Every cooperative launch has so many bytes of zeroed memory, 16-byte aligned. Its address is in %envreg1 (upper half)
// and %envreg2. NVIDIA's cooperative groups count there the blocks that have arrived at grid.sync().
inline constexpr std::size_t grid_workspace_bytes = 256;

}  // namespace heddle::device
