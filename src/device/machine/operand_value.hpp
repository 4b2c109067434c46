// Values of operands that need no thread.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::device::machine {

// The low `width` bits.
constexpr std::uint64_t low_bits(std::uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

// The bits of an immediate operand, an integer or a real, read as a type of at most 64 bits.
std::uint64_t immediate_value(const ptx::Operand& operand, ptx::Type type);

}  // namespace heddle::device::machine
