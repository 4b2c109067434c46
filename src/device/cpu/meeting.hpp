// Warp operations in the one-lane shape, where every thread is a fiber: the lanes that take part meet.
#pragma once

#include <cstdint>

#include "device/cpu/block.hpp"

namespace heddle::device::cpu {

// RuntimeTable::warp_meet: returns when all of `members` that have not left the kernel are here.
std::uint32_t meet(Warp& warp, std::uint32_t members, std::uint64_t value, std::uint64_t* values);

// The thread has left the kernel: meetings that only waited for it come about.
void meet_without(Warp& warp);

}  // namespace heddle::device::cpu
