#include <mutex>

#include "device/emulated/state.hpp"

namespace heddle::device::emulated {

void TurnLock::lock() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = next_++;
  changed_.wait(lock, [&] { return serving_ == mine; });
}

void TurnLock::unlock() {
  {
    std::lock_guard lock(mutex_);
    ++serving_;
  }
  changed_.notify_all();
}

}  // namespace heddle::device::emulated
