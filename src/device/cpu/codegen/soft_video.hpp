// Video instructions as a SoftCode and back: everything that their meaning depends on, in 64 bits.
#pragma once

#include "device/cpu/codegen/soft_code.hpp"

namespace heddle::device::cpu {

SoftCode video_code(const ptx::Instruction& inst);
// An instruction with the same meaning as the one the code was made of; its registers are arbitrary.
ptx::Instruction video_instruction(const SoftCode& code);

}  // namespace heddle::device::cpu
