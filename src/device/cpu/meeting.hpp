// Warp operations in the one-lane shape, where every thread is a fiber: the participating lanes meet.
#pragma once

#include <cstdint>

#include "device/cpu/block.hpp"

namespace heddle::device::cpu {

// RuntimeTable::warp_meet: the thread arrives with its value. True when all of `members` that have not left the kernel
// have arrived: all of them have their results. False: the thread must wait, and has its result when it is resumed. The
// result is `warp.result`, the lanes that participated, and `values`, their values.
bool arrive_at_meeting(Warp& warp, std::uint32_t members, std::uint64_t value, std::uint64_t* values);

// The thread has left the kernel: meetings that only waited for it are completed.
void leave_meetings(Warp& warp);

}  // namespace heddle::device::cpu
