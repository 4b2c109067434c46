// One register for each value.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// A copy of `function` in which each def-use web (ptx/analysis/flow/webs.hpp) has a register of its own: register i of
// the result is web i. Code generators then treat a register that the source reuses as the separate values it holds.
// Pure.
Function split_webs(const Function& function);

}  // namespace heddle::ptx
