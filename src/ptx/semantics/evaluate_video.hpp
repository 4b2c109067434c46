// Video instructions with their selectors and suffixes taken from the instruction.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

bool is_video(Opcode opcode);

// Lanes of the SIMD forms: 2 or 4; 1 for the others.
unsigned video_lanes(Opcode opcode);
// The parts of {b, a} that source operand i (1 or 2) of a SIMD form takes, lowest lane first: halves 0 to 3 or bytes 0
// to 7, those of a first. Throws heddle::Error (unsupported) for a selector that the instruction cannot have.
std::array<std::uint8_t, 4> video_parts(const Instruction& inst, unsigned i);
// Lanes that a SIMD form computes, one bit each: all, or those that the destination's selector names.
unsigned video_mask(const Instruction& inst);

// c is 0 when the instruction has no third source.
std::uint32_t evaluate_video(const Instruction& inst, std::uint32_t a, std::uint32_t b, std::uint32_t c);

}  // namespace heddle::ptx::semantics
