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
  bool repeats_in(std::uint64_t epoch) const { return repeated_epoch_ == epoch; }

 private:
  std::uint64_t hash_ = 0, epoch_ = 0, local_epoch_ = 0;  // the stored state, and the memory epochs at that time
  std::uint64_t turns_ = 0, next_ = 1;                    // a new state is stored after 1, 2, 4, ... branches
  std::uint64_t repeated_epoch_ = ~std::uint64_t{0};
  bool repeats_ = false;  // the thread has returned to the stored state
};

}  // namespace heddle::device::machine
