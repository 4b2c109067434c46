// The functions of the runtime's table that code made for --check calls.
#pragma once

#include "device/cpu/abi.hpp"
#include "device/cpu/block.hpp"
#include "device/cpu/checker/launch_checker.hpp"
#include "device/cpu/runtime_call.hpp"

namespace heddle::device::cpu {

void add_check_calls(RuntimeTable& table);

// The warp as a checker wants it; of code of direct shape, whose block changes without a call, with the clock of the
// block that runs now.
CheckedWarp checked(Warp& warp, LaunchChecker& checker);

// Calls what records something for the checks. If there is no memory for that, ends the launch.
template <class Record>
void record(Warp& warp, Record&& what) {
  if (has_memory_for(what)) return;
  begin_fault(warp, FaultKind::no_memory, -1);
  end_launch(warp);
}

}  // namespace heddle::device::cpu
