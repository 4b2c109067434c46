// Unique numbers. They identify an object even after it was destroyed and another one has its address.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::base {

// Returns each number once in a process. Any thread.
inline std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace heddle::base
