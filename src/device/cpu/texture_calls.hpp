// Textures and surfaces, as generated code calls them.
#pragma once

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

void add_texture_calls(RuntimeTable& table);

}  // namespace heddle::device::cpu
