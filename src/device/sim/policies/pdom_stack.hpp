// The stack of a static warp with reconvergence at immediate post-dominators (Dynamic Warp Formation, section 2.3).
#pragma once

#include <vector>

#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"

namespace heddle::device::sim {

class PdomStack {
 public:
  struct Entry {
    Place next;  // of its threads
    LaneMask mask = 0;
    Place reconverge;    // its threads join the entry below there; nowhere: at no place
    bool waits = false;  // its threads wait at a barrier or for other lanes
  };

  PdomStack(const machine::LaneThreads& threads, LaneMask mask, ProgramTiming& timing);

  std::span<const Entry> entries() const { return entries_; }  // from the bottom
  // The entry that runs: the topmost one that does not wait and whose threads are in no entry above it. Hardware runs
  // the top only; an entry that waits lets others of the warp run here, as PTX promises since compute capability 7.0.
  // Null: none.
  const Entry* current() const;
  // The threads of current() have executed what is at its place. `taken`: lanes that have branched; they run first.
  void retire(LaneMask taken, LaneMask exited);
  // For the case that all of them have gone on to this place of the same function.
  void retire_to(std::uint32_t pc);
  // Threads that waited have moved on.
  void resume();
  // The threads of current() turn in a loop that only others can end: lets the lowest of those run that can. Returns
  // whether there are any.
  bool yield();

 private:
  struct Side {
    Place place;
    bool waits;
    LaneMask mask;
  };
  std::size_t current_index() const;
  void settle(std::size_t index, LaneMask taken);
  std::vector<Side> sides_of(const Entry& entry, LaneMask taken) const;
  void pop_joined(std::size_t index);
  void remove_exited();
  template <class F>
  void for_each_free(F&& f) const;
  void run_alone(std::size_t index);
  void leave_join();

  const machine::LaneThreads& threads_;
  ProgramTiming& timing_;
  std::vector<Entry> entries_;
};

}  // namespace heddle::device::sim
