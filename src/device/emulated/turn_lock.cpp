
#include "device/emulated/state.hpp"

namespace heddle::device::emulated {

void TurnLock::lock() {
  base::Lock lock(mutex_);
  const std::uint64_t mine = next_++;
  while (serving_ != mine) lock.wait(changed_);
}

void TurnLock::unlock() {
  {
    base::Lock lock(mutex_);
    ++serving_;
  }
  changed_.notify_all();
}

}  // namespace heddle::device::emulated
