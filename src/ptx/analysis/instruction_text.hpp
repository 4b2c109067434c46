// How messages of the analyses name an instruction.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// "atom.global.add.u32", without guard and operands.
std::string mnemonic(const Instruction& inst);
// "atom.global.add.u32 in line 17 of histogram"
std::string describe_instruction(const Function& function, std::uint32_t instruction);

}  // namespace heddle::ptx::analysis
