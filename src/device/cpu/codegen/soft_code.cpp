#include "device/cpu/codegen/soft_code.hpp"

namespace heddle::device::cpu {

std::uint64_t SoftCode::packed() const {
  const unsigned flags = (ftz ? 1u : 0) | (sat ? 2u : 0) | (relu ? 4u : 0) | (satfinite ? 8u : 0);
  return static_cast<std::uint64_t>(opcode) | static_cast<std::uint64_t>(type) << 8 |
         static_cast<std::uint64_t>(type2) << 16 | static_cast<std::uint64_t>(rounding) << 24 |
         static_cast<std::uint64_t>(flags) << 32 | static_cast<std::uint64_t>(extra) << 36;
}

SoftCode SoftCode::unpacked(std::uint64_t code) {
  SoftCode result;
  result.opcode = static_cast<ptx::Opcode>(code & 0xff);
  result.type = static_cast<ptx::Type>((code >> 8) & 0xff);
  result.type2 = static_cast<ptx::Type>((code >> 16) & 0xff);
  result.rounding = static_cast<ptx::Rounding>((code >> 24) & 0xff);
  result.ftz = (code >> 32) & 1;
  result.sat = (code >> 33) & 1;
  result.relu = (code >> 34) & 1;
  result.satfinite = (code >> 35) & 1;
  result.extra = static_cast<std::uint32_t>(code >> 36);
  return result;
}

}  // namespace heddle::device::cpu
