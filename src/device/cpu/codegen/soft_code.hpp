// What a soft function (soft_functions.hpp) is to do, in 64 bits of an immediate operand.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::device::cpu {

struct SoftCode {
  ptx::Opcode opcode = ptx::Opcode::count_;
  ptx::Type type = ptx::Type::none;   // of the result
  ptx::Type type2 = ptx::Type::none;  // of the operands
  ptx::Rounding rounding = ptx::Rounding::none;
  bool ftz = false, sat = false, relu = false, satfinite = false;
  std::uint32_t extra = 0;  // 28 bits of the function's own

  std::uint64_t packed() const;
  static SoftCode unpacked(std::uint64_t code);
};

}  // namespace heddle::device::cpu
