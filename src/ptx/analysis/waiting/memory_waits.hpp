// How many accesses to memory a warp has under way when it must wait for them.
//
// A GPU executes a warp's instructions in order and does not stop at a load, but at the first instruction that needs
// what was loaded. Models of throughput that let a warp wait at each access (Kernelet, section 4.4) take it to wait
// more often than it does.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Of an execution, by an estimate: loops are taken to run eight times, other blocks once.
struct MemoryWaits {
  double accesses = 0;  // loads, stores and atomics of global and local memory
  double waits = 0;     // instructions that need the result of one that no instruction before them has needed
  // At least 1; 1 without accesses. Of a function that only stores: all of them.
  double accesses_per_wait() const;
};

MemoryWaits find_memory_waits(const Function& function);

}  // namespace heddle::ptx::analysis
