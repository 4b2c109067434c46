// What this process may take of each device's memory.
#pragma once

#include <cstdint>
#include <limits>

#include "base/variables.hpp"

namespace heddle::device {

// In bytes: HEDDLE_MEMORY_LIMIT, or no limit. Throws invalid_argument where the variable is no number.
inline std::uint64_t process_memory_limit() {
  return base::number_variable("HEDDLE_MEMORY_LIMIT").value_or(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace heddle::device
