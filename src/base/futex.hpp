// Sleeping until a word changes. std::atomic::wait gives the core away several times before it sleeps: on a machine
// with more work than cores, each of these takes as long as other processes like.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace heddle::base {

// Sleeps while the word is `seen`; returns at once where it is not, and at times without a reason.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  static_assert(sizeof word == sizeof seen);
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

// Wakes one thread that sleeps at the word, after it was changed.
inline void futex_wake_one(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace heddle::base
