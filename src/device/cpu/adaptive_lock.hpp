// A lock for critical sections of a few dozen instructions on the launch path, where a thread that sleeps would lose
// more time than the work takes.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

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

// Works with std::lock_guard. After a short spin it sleeps: the holder has lost its core, and gets it back when the
// other processes of the machine let it.
class AdaptiveLock {
 public:
  void lock() {
    if (!try_lock()) wait();
  }
  bool try_lock() {
    std::uint32_t state = free;
    return state_.compare_exchange_strong(state, held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == awaited) base::futex_wake_one(state_);
  }

 private:
  static constexpr std::uint32_t free = 0, held = 1, awaited = 2;
  static constexpr unsigned spins = 200;

  [[gnu::noinline]] void wait() {
    for (unsigned spin = 0; spin < spins; ++spin) {
      relax();
      if (state_.load(std::memory_order_relaxed) == free && try_lock()) return;
    }
    // This thread does not know whether others sleep too.
    while (state_.exchange(awaited, std::memory_order_acquire) != free) base::futex_wait(state_, awaited);
  }

  std::atomic<std::uint32_t> state_{free};
};

}  // namespace heddle::device::cpu
