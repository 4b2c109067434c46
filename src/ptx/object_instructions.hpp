// Instructions that name a texture, a sampler or a surface.
#pragma once

#include "ptx/keywords.hpp"

namespace heddle::ptx {

inline bool uses_surface(Opcode opcode) {
  return opcode == Opcode::suld || opcode == Opcode::sust || opcode == Opcode::sured || opcode == Opcode::suq;
}
inline bool uses_texture(Opcode opcode) {
  return opcode == Opcode::tex || opcode == Opcode::tld4 || opcode == Opcode::txq;
}

}  // namespace heddle::ptx
