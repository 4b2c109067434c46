// A warp that is formed of threads of one place, whatever warps they came with.
#pragma once

#include <cstdint>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

struct FormedWarp : IssueGroup {
  machine::LaneThreads lanes{};  // its threads, by lane of the SIMD unit
  std::uint32_t index = 0;       // in the pool
  std::uint64_t arrival = 0;     // the order in which warps were formed
  std::uint32_t passed = 0;      // joins that its threads have passed (pdom-priority)
};

}  // namespace heddle::device::sim
