// Functions of old style pass parameters in registers; compiled code passes all of them in memory.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// A copy of `function` whose parameters and results are all in .param space: .reg ones are loaded where it begins and
// stored before it returns. Functions without such are returned unchanged. Pure.
Function memory_parameters(const Function& function);

}  // namespace heddle::ptx
