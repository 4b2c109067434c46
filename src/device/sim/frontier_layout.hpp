// The order of places in which thread frontiers run a function (Simultaneous Branch and Warp Interweaving,
// section 2.2), and where threads that run ahead wait at joins (section 2.5).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::sim {

struct FrontierLayout {
  static constexpr std::uint32_t no_divide = 0xffffffffu;
  struct Op {
    std::uint32_t order = 0;  // reverse post-order of the blocks, loops together: joins come after their regions
    // At the first instruction of a join, the order of the last one before its region: before the branch or the loop
    // (as the marks of Tesla's instruction set), and the end of the immediate dominator. no_divide elsewhere.
    std::uint32_t region = no_divide, dominator = no_divide;
  };
  std::vector<Op> ops;  // by instruction; one more for the return at the end
};
FrontierLayout frontier_layout(const ptx::Function& function, const ptx::Module& module);

}  // namespace heddle::device::sim
