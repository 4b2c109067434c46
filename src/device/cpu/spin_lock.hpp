// A lock for critical sections of a few dozen instructions on the launch path, where a futex would cost more than the
// work.
#pragma once

#include <atomic>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::device::cpu {

// Tells the core that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Works with std::lock_guard. After a short spin it gives the core away, so that a holder that lost its core can go on.
class SpinLock {
 public:
  void lock() {
    for (unsigned turn = 0; held_.exchange(true, std::memory_order_acquire); ++turn) {
      while (held_.load(std::memory_order_relaxed)) {
        if (++turn < spins_before_yield) {
          relax();
        } else {
          std::this_thread::yield();
        }
      }
    }
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  static constexpr unsigned spins_before_yield = 200;
  std::atomic<bool> held_{false};
};

}  // namespace heddle::device::cpu
