// Where a launch may write, as far as its kernel's code tells.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::device::cpu {

struct WrittenMemory {
  bool anywhere = true;                  // the rest says nothing
  std::vector<std::uint64_t> addresses;  // it writes to the allocations of these
  std::vector<std::uint64_t> numbers;    // and of these, if they are addresses at all
};

}  // namespace heddle::device::cpu
