// Counts over counts.
#pragma once

#include <cstdint>

namespace heddle::batch {

// 0 of nothing.
inline double quotient(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

}  // namespace heddle::batch
