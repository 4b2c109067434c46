// Whether a function calls others, and which.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

bool has_calls(const Function& function);

// Whether the function calls others than vprintf, malloc, free and __assertfail, by name or through a register. Calls
// that inline_calls has replaced are none.
bool calls_others(const Module& module, const Function& function);

// Functions of the module with bodies that each call may reach: its callee, the targets of its table, or (indirect, no
// table) all whose address is taken.
std::vector<std::uint32_t> possible_callees(const Module& module, const Function& function, const Instruction& call);

}  // namespace heddle::ptx::analysis
