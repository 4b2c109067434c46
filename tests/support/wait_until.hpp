// Waiting for what other threads, processes and devices do. A test says what it waits for, and never how long that may
// take on this machine.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>

namespace heddle::tests {

// Whether the condition, which is asked for again and again, becomes true. The limit is for tests that have failed.
template <class Condition>
[[nodiscard]] bool wait_until(const Condition& condition, std::chrono::seconds limit = std::chrono::seconds(60)) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable nobody_notifies;
  std::unique_lock lock(mutex);
  const Clock::time_point end = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() >= end) return false;
    nobody_notifies.wait_for(lock, std::chrono::microseconds(200));
  }
  return true;
}

// For what has to last, or to come at any time; `clock` is a base::Clock.
template <class Clock>
void let_pass(const Clock& clock, std::uint64_t nanoseconds) {
  const std::uint64_t end = clock.now_ns() + nanoseconds;
  (void)wait_until([&] { return clock.now_ns() >= end; });
}

// Whether a thread of this process is blocked, in a lock for example.
inline bool is_blocked(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") S") == 0;
}

}  // namespace heddle::tests
