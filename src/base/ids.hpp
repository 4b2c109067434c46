// Numbers for what is compared later, when it may be gone and another thing in its place.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::base {

// None comes twice in a process. Any thread.
inline std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace heddle::base
