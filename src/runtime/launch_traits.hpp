// What policies are told of a launch before it runs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/launch_check.hpp"
#include "device/module.hpp"
#include "device/queue.hpp"
#include "heddle/error.hpp"
#include "sched/range_view.hpp"

namespace heddle::runtime {

// Ranges of blocks, which are numbered row by row, consist of whole clusters where they begin and end at multiples of
// this. For kernels that are declared to run in clusters (.reqnctapercluster); else 1.
inline std::uint64_t blocks_of_whole_clusters(const ptx::Function& function, const Dim3& grid) {
  const auto* const declared = function.directive("reqnctapercluster");
  if (declared == nullptr) return 1;
  const Dim3 cluster = device::extent_of(*declared);
  if (cluster.z > 1) return std::uint64_t{grid.x} * grid.y * cluster.z;
  if (cluster.y > 1) return std::uint64_t{grid.x} * cluster.y;
  return std::max(cluster.x, 1u);
}

// `kernel`: its id in the process. Must be called without the core's lock: a driver may be asked.
inline sched::LaunchTraits traits_of(std::uint64_t kernel, device::Function& function,
                                     const device::LaunchConfig& config) {
  sched::LaunchTraits traits;
  std::uint64_t signature = kernel * 0x9e3779b97f4a7c15ULL;
  for (const std::uint64_t part : {std::uint64_t{config.block.x}, std::uint64_t{config.block.y},
                                   std::uint64_t{config.block.z}, std::uint64_t{config.dynamic_shared_bytes}})
    signature = (signature ^ part) * 0xbf58476d1ce4e5b9ULL;
  traits.signature = signature;
  traits.cooperative = config.cooperative;
  traits.block_multiple = blocks_of_whole_clusters(function.ptx(), config.grid);
  try {
    // A worker of a device without SMs runs one block at a time.
    const auto occupancy = function.whole_occupancy(config.block, config.dynamic_shared_bytes);
    traits.resident_blocks = occupancy ? occupancy->blocks : 1;
  } catch (const Error&) {
    traits.resident_blocks = 0;  // then policies do without it
  }
  return traits;
}

}  // namespace heddle::runtime
