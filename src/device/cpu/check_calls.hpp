// The functions of the runtime's table that code made for --check calls.
#pragma once

#include "device/cpu/abi.hpp"
#include "device/cpu/block.hpp"
#include "device/cpu/checker/launch_checker.hpp"

namespace heddle::device::cpu {

void add_check_calls(RuntimeTable& table);

// The warp as a checker wants it; of code of direct shape, whose block changes without a call, with the clock of the
// block that runs now.
CheckedWarp checked(Warp& warp, LaunchChecker& checker);

}  // namespace heddle::device::cpu
