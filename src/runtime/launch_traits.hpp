// What policies are told of a launch before it runs.
#pragma once

#include <cstdint>

#include "device/module.hpp"
#include "device/queue.hpp"
#include "heddle/error.hpp"
#include "sched/range_view.hpp"

namespace heddle::runtime {

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
