// What was copied between memories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/array.hpp"

namespace heddle {

struct Moved {
  std::string from, to;  // ids of devices, or "host"
  std::uint64_t copies = 0, bytes = 0;
};

// The copies so far of all arrays of the runtime that made this one, for launches and for the host's accesses. Pairs
// between which nothing was copied are missing. Copies of the explicit level do not count. Any thread. Throws
// invalid_argument for an array that was moved from.
std::vector<Moved> moved(const ArrayBytes& array);

}  // namespace heddle
