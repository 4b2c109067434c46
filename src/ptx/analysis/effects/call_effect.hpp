// What a call may find in memory that other threads write, and where it may put that.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/effects/memory_place.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// What the called functions, and those that they call, do. All that matters is set where one has no body.
struct CallEffect {
  bool finds = false;               // reads what others may have written meanwhile: a strong load, an exchange, a test
  bool global = false;              // ...that may lie outside of shared memory
  bool takes = false;               // ...by an atomic that changes it
  bool unknown = false;             // a function without a body is among them
  std::vector<MemoryPlace> writes;  // other memory than their own variables

  struct Finder {
    std::uint32_t function = 0, instruction = 0;
  };
  std::vector<Finder> finders;
};

CallEffect effect_of_call(const Module& module, const Function& function, const Instruction& call);

// The instruction reads memory in a way that says that others may write it, or may do so.
bool finds_what_others_write(const PlaceFinder& places, const Instruction& inst);

bool tests_mbarrier(const Instruction& inst);
// An atomic that changes nothing is a load.
bool may_change_nothing(const PlaceFinder& places, const Instruction& atomic);
bool exchanges(const Instruction& inst);

}  // namespace heddle::ptx::analysis
