// Loops that wait for what other threads write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// An instruction of a loop that reads what other threads write, on which the loop's end depends.
struct Awaited {
  std::uint32_t instruction = 0;  // a load, an atomic, a test of an mbarrier, or a call of a function that has one
  Space space = Space::generic;   // of what is waited for; generic may be global
  bool takes = false;             // by an atomic that changes it: a lock
};

// A loop whose end depends on memory that others write, or that never ends once it has begun a second iteration.
struct SpinLoop {
  std::uint32_t loop = 0;         // into ControlFlowGraph::loops()
  std::uint32_t instruction = 0;  // the first of those awaited; of endless ones the first of the loop
  std::vector<Awaited> awaited;   // none of endless ones
  // Some of those awaited do.
  bool takes() const {
    return std::any_of(awaited.begin(), awaited.end(), [](const Awaited& item) { return item.takes; });
  }
  bool counted = false;  // it ends after a number of turns, too: see CountedLoops
  bool endless = false;  // nothing that it does or that others do changes whether it ends
  // Lanes of one group may leave in different iterations: one may wait for another.
  bool intra_warp = false;
};

}  // namespace heddle::ptx::analysis
