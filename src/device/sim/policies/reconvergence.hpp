// Where threads meet again that part at a place.
#pragma once

#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"

namespace heddle::device::sim {

// The immediate post-dominator of the place, in its function or where that was called; nowhere: they do not. Some of
// the lanes' threads may have returned or exited already.
Place reconvergence_of(const machine::LaneThreads& threads, LaneMask lanes, const Place& from, ProgramTiming& timing);

}  // namespace heddle::device::sim
