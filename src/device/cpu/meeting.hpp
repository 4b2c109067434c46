// Warp operations in the one-lane shape, where every thread is a fiber: the participating lanes meet.
#pragma once

#include <cstdint>

#include "device/cpu/block.hpp"

namespace heddle::device::cpu {

// RuntimeTable::warp_meet: the thread arrives with its value. True when all of `members` that have not left the kernel
// have arrived: all of them have their results. False: the thread must wait, and has its result when it is resumed. The
// result is `warp.result`, the lanes that participated, and `values`, their values.
bool arrive_at_meeting(Warp& warp, std::uint32_t members, std::uint64_t value, std::uint64_t* values);

// RuntimeTable::active_mask: the thread arrives, and must wait. Its result is `warp.result` when it is resumed.
void arrive_at_gathering(Warp& warp);
// Called when no thread of the block can run, except those that spin. Makes ready the threads that wait for the result
// of active_mask; returns whether it has made any ready. If lanes of their warp spin, these run once more before.
bool complete_gatherings(Block& block);

// The thread has left the kernel: meetings that only waited for it are completed.
void leave_meetings(Warp& warp);

}  // namespace heddle::device::cpu
