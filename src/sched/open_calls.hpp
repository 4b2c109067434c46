// Open calls: their function is submitting work to a device at this moment, without the core's lock (Runtime::call).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <span>

#include "base/thread_safety.hpp"
#include "memory/array.hpp"

namespace heddle::sched {

// Until a call is closed, its end is not recorded, so no task that depends on it can be submitted. Other threads wait
// here before they use its arrays. Needs the core's lock, which is released while a thread waits.
class OpenCalls {
 public:
  // Opens or closes a call that uses these arrays.
  void open(std::span<memory::Array* const> arrays);
  void close(std::span<memory::Array* const> arrays);

  bool none() const { return count_ == 0; }
  // Wait until no open call uses one of the arrays; until one call is closed; until no call is open.
  void wait(base::Lock& lock, std::span<memory::Array* const> arrays) {
    while (count_ > 0 && uses_any(arrays)) [[unlikely]]
      changed_.wait(lock.native());
  }
  void wait_for_one(base::Lock& lock) {
    if (count_ > 0) changed_.wait(lock.native());
  }
  void wait_for_all(base::Lock& lock) {
    while (count_ > 0) changed_.wait(lock.native());
  }

 private:
  static bool uses_any(std::span<memory::Array* const> arrays);

  std::size_t count_ = 0;
  std::condition_variable changed_;
};

}  // namespace heddle::sched
