// Memory for what is found out about the arguments of one launch (runtime/resident_launch.hpp): it is used again and
// again.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "graph/access.hpp"
#include "memory/array.hpp"

namespace heddle::core {

// Needs the core's lock.
struct LaunchScratch {
  static constexpr std::size_t most_arguments = 16, most_bytes = 256;

  std::size_t count = 0;  // of arrays
  std::array<memory::Array*, most_arguments> arrays;
  std::array<graph::Access, most_arguments> accesses;  // of the arrays
  std::array<std::byte, most_bytes> packed;            // the packed arguments

  std::span<const graph::Access> all() const { return {accesses.data(), count}; }
};

}  // namespace heddle::core
