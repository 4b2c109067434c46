// The memory of one SM in time: load/store unit, shared memory, L1, constant cache and their way to the crossbar. It
// holds no data.
//
// A pipeline uses it so, with cycles that never decrease:
//   memory.advance(now);                                       // when memory.next_event() <= now
//   for (const Completion& done : memory.completions()) ...;   // then memory.clear_completions()
//   const Admission answer = memory.access(now, access, tag);
// An accepted access has one completion: `ready` of the answer, or one of completions(). An access with n transactions
// occupies the L1's port for n cycles (n / l1.banks with banks), one with n passes the shared memory for n intervals;
// accesses that come meanwhile wait in the queue (lsu.queue), and are refused when that is full.
//
// Threads: one at a time. Different SMs may be simulated by different threads between two exchanges of MemorySystem.
// No function allocates memory in a steady state.
#pragma once

#include <span>
#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"
#include "device/sim/memory/counters.hpp"

namespace heddle::device::sim {

class SmMemory {
 public:
  explicit SmMemory(const MachineDescription& machine);

  // Takes the access or refuses it. Does advance(now) first. The bytes of a lane must be aligned as PTX demands.
  Admission access(Cycle now, const WarpAccess& access, AccessTag tag);
  // Lets happen what happens up to and in cycle `now`.
  void advance(Cycle now);
  // The first cycle in which advance() would do something; `never`: nothing before the next exchange.
  Cycle next_event() const;
  // Why an access would be refused in the cycle of the last call; `none`: it would not.
  MemoryStall refusal() const;

  std::span<const Completion> completions() const { return completions_; }
  void clear_completions() { completions_.clear(); }

  // Drops all lines of the L1 and the constant cache, as between kernels. Written lines are sent on.
  void invalidate(Cycle now);
  // Transactions under way: none when a kernel's memory operations are complete.
  unsigned in_flight() const;
  const SmMemoryCounters& counters() const;

 private:
  std::vector<Completion> completions_;
};

}  // namespace heddle::device::sim
