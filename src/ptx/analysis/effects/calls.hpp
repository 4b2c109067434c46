// Whether a function calls others, and which.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

bool has_calls(const Function& function);

// vprintf, malloc, free or __assertfail: known without a body.
bool is_builtin(const Function& function);
// The index of the definition of a function that is declared; its own index if the module has no definition.
std::uint32_t definition_of(const Module& module, std::uint32_t function);

// Whether the function calls others than those that are built in, by name or through a register. Calls
// that inline_calls has replaced are none.
bool calls_others(const Module& module, const Function& function);

// Functions of the module with bodies that each call may reach: its callee, the targets of its table, or (indirect, no
// table) all whose address is taken.
std::vector<std::uint32_t> possible_callees(const Module& module, const Function& function, const Instruction& call);

}  // namespace heddle::ptx::analysis
