// What functions that generated code calls have in common. They run on the fiber of a warp. One that ends the launch
// leaves its frame without unwinding, so nothing in it may own memory or a lock at that point: what must be remembered
// goes into the worker's Fault.
#pragma once

#include <new>

#include "device/cpu/block.hpp"
#include "device/cpu/fault.hpp"
#include "device/cpu/worker.hpp"

// The warp that made the call, with the place it was made from.
#define HEDDLE_ENTER(context)    \
  Warp& warp = warp_of(context); \
  warp.site = __builtin_return_address(0)

namespace heddle::device::cpu {

inline Fault& begin_fault(Warp& warp, FaultKind kind, int lane) {
  Fault& fault = warp.block->worker->fault();
  fault.kind = kind;
  fault.instruction = warp.site;
  fault.in_runtime = true;
  fault.lane = lane;
  fault.address_known = true;
  return fault;
}

[[noreturn]] inline void end_launch(Warp& warp) { warp.block->worker->abandon(warp); }

// Nothing may be thrown through generated code. False if there is no memory for `what`.
template <class What>
bool has_memory_for(What&& what) {
  try {
    what();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

inline bool has_fiber(const Warp& warp) { return warp.block->warps != nullptr; }

}  // namespace heddle::device::cpu
