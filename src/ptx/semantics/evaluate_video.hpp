// Video instructions with their selectors and suffixes taken from the instruction.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

bool is_video(Opcode opcode);
// c is 0 when the instruction has no third source.
std::uint32_t evaluate_video(const Instruction& inst, std::uint32_t a, std::uint32_t b, std::uint32_t c);

}  // namespace heddle::ptx::semantics
