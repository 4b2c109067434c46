// Whether a thread that turns in a loop repeats itself: its state at a backward branch is compared with an earlier one.
#pragma once

#include <cstdint>

#include "device/machine/thread.hpp"

namespace heddle::device::interp {

class SpinWatch {
 public:
  // `thread` has jumped backward in this epoch of memory.
  void see(const machine::Thread& thread, std::uint64_t epoch);
  // Whether it was seen to repeat itself in this epoch.
  bool repeats_in(std::uint64_t epoch) const { return repeated_epoch_ == epoch; }

 private:
  std::uint64_t hash_ = 0, epoch_ = 0, local_epoch_ = 0;  // the remembered state, and the epochs of memory then
  std::uint64_t turns_ = 0, next_ = 1;                    // remembered anew after 1, 2, 4, ... turns
  std::uint64_t repeated_epoch_ = ~std::uint64_t{0};
  bool repeats_ = false;  // it has come back to the remembered state
};

}  // namespace heddle::device::interp
