// Random kernels of values that differ from lane to lane by a known step, which the CPU device keeps as one scalar:
// sums, products, shifts and conversions of thread numbers, in branches that leave out lane 0, in loops, and in blocks
// of which no warp is whole. Such values wrap around within a warp, and lose or gain their sign where they are widened.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::test::random_kernel {

// A case for comparison.hpp. The same seed gives the same text on every machine.
std::string step_kernel(std::uint64_t seed);

}  // namespace heddle::test::random_kernel
