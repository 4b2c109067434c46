// Calls whose function is putting its work into a device at this moment, without the core's lock (Runtime::call).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <span>

#include "base/thread_safety.hpp"
#include "memory/array.hpp"

namespace heddle::sched {

// Until a call is closed its end is not recorded, so nothing can be submitted that depends on it: other threads wait
// here before they use its arrays. Needs the core's lock, which is given back while a thread waits.
class OpenCalls {
 public:
  // A call that uses these arrays is opened, or closed.
  void open(std::span<memory::Array* const> arrays);
  void close(std::span<memory::Array* const> arrays);

  bool none() const { return count_ == 0; }
  // Waits while a call uses one of the arrays, until one is closed, and while there is any.
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
