// Detects that a thread in a loop repeats a state: its state at a backward branch is compared with an earlier one.
#pragma once

#include <cstdint>

#include "device/machine/thread.hpp"

namespace heddle::device::machine {

class SpinWatch {
 public:
  // To be called when `thread` has jumped backward. `epoch`: the memory epoch.
  void see(const Thread& thread, std::uint64_t epoch);
  // Whether the thread has repeated a state in this epoch.
  bool repeats_in(std::uint64_t epoch) const { return repeated_ && epoch_ == epoch; }

 private:
  // A thread of a simulated GPU has one each, so it is small.
  std::uint64_t hash_ = 0, epoch_ = 0;  // the stored state, and the memory epoch at that time
  std::uint32_t local_epoch_ = 0;       // the low bits of that of the thread's own memory
  std::uint32_t turns_ = 0, next_ = 1;  // a new state is stored after 1, 2, 4, ... branches
  bool returned_ = false;               // the thread has returned to the stored state
  bool repeated_ = false;               // or to the one before
};

}  // namespace heddle::device::machine
