// Which bytes of an array a part of a launch accesses, as the PTX shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "heddle/dim3.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"

namespace heddle {

// Bytes [begin, end) from the address that is passed for a parameter; begin may be negative. Guards of the threads are
// not looked at, so that it may go beyond the array's end, where the kernel does not.
struct ArrayReach {
  std::int64_t begin = 0, end = 0;
};

// What the blocks of the range access of what parameter number `parameter` points to. Nothing where the PTX does not
// show it, or where it depends on a number that `arguments`, the launch's by parameter, does not have or that is
// negative. Analysed on first use. Any thread. Throws invalid_argument if there is no such parameter.
std::optional<ArrayReach> block_reach(const Kernel& kernel, std::size_t parameter, const Dim3& grid, const Dim3& block,
                                      const BlockRange& blocks, std::span<const Argument> arguments = {});

}  // namespace heddle
