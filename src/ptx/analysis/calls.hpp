// Whether a function calls others.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

bool has_calls(const Function& function);

// Whether the function calls others than vprintf, malloc, free and __assertfail, by name or through a register. Calls
// that inline_calls has replaced are none.
bool calls_others(const Module& module, const Function& function);

}  // namespace heddle::ptx::analysis
