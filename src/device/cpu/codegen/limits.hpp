// From which size on kernels are compiled in another way.
#pragma once

#include "device/cpu/codegen/cut_functions.hpp"

namespace heddle::device::cpu {

// LLVM's time for a function grows with the square of its size and more: register allocation, scheduling of a block,
// SSA form over many blocks. Up to 4000 instructions it is below about a second. Pieces of 400 take the least time for
// an instruction; what is shorter moves more through memory (docs/performance.md, compile path by size).
constexpr CutLimits cut_limits{.whole = 4000, .piece = 400};

}  // namespace heddle::device::cpu
