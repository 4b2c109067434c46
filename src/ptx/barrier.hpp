// Which instructions are barriers of a block, and which instructions all threads of a warp execute together.
#pragma once

#include "ptx/instruction.hpp"

namespace heddle::ptx {

inline bool is_block_barrier(const Instruction& inst) {
  return (inst.opcode == Opcode::bar || inst.opcode == Opcode::barrier) && !inst.has(Modifier::warp) &&
         !inst.has(Modifier::cluster);
}

// All threads of a warp must execute the same instruction, with the same numbers. bar is another name of barrier with
// .aligned.
inline bool is_aligned(const Instruction& inst) {
  return inst.has(Modifier::aligned) || (inst.opcode == Opcode::bar && !inst.has(Modifier::warp));
}

}  // namespace heddle::ptx
