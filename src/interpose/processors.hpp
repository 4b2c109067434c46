// How many SMs the programs of tenants see: those of their quota (docs/tenants.md), so that programs that launch as
// many blocks as fit do not launch more than their quota holds.
#pragma once

#include <cstdint>

#include "interpose/forward.hpp"

namespace heddle::interpose {

// What a program is told in place of a device's number of SMs. The first answer of a process holds for all of its life,
// as programs keep it. Any thread.
int told_processors(int of_device);

// CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE for a cooperative launch with more blocks than the SMs of the quota, as it is
// now, hold at the same time. CUDA_SUCCESS for others, also for those that the driver will refuse.
CUresult check_cooperative(CUfunction function, std::uint64_t blocks, std::uint64_t threads, unsigned shared);

}  // namespace heddle::interpose
