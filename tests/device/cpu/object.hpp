// Small ELF objects of the form that the code generator makes, from LLVM IR as text.
#pragma once

#include <string>
#include <vector>

#include "device/cpu/codegen/codegen.hpp"

namespace heddle::device::cpu::test {

std::vector<char> object_from_ir(const std::string& ir);

// A direct kernel that adds `step` to the u32 that its first parameter points to, for each block; the store bears
// `line`.
CompiledKernel adding_kernel(unsigned step, unsigned line);

}  // namespace heddle::device::cpu::test
