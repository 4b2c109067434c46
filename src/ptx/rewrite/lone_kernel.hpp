// A kernel as a module of its own, to be changed as a whole.
#pragma once

#include <cstdint>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// The kernel (an entry with a body, by index) and what it calls, which is part of its body as far as that can be.
// `place` receives its index there.
Module take_lone_kernel(const Module& module, std::uint32_t entry, std::uint32_t& place);

// Whether it names variables of the module other than shared ones: another module would have variables of its own.
bool uses_variables(const Module& module, const Function& function);

// 70 of sm_70 and sm_70a; 0 where the module names none.
unsigned target_number(const Module& module);
// 63 for PTX 6.3.
unsigned version_number(const Module& module);

// Loads through the read-only path are for memory that does not change while the kernel runs.
void drop_nc(Instruction& load);

}  // namespace heddle::ptx
