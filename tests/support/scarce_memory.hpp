// A process in which memory runs out, at whichever allocation a test wants.
#pragma once

#include <limits>

namespace heddle::tests {

// Sanitizers have their own malloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_scarce_memory = false;
#else
constexpr bool has_scarce_memory = true;
#endif

// While it exists so many allocations of all threads succeed, then so many fail, and then all succeed. One at a time.
class ScarceMemory {
 public:
  static constexpr long all = std::numeric_limits<long>::max();
  explicit ScarceMemory(long succeed, long fail = all);
  ~ScarceMemory();
  bool ran_out() const;  // some have failed
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;
};

}  // namespace heddle::tests
