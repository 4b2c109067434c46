// Accesses of surfaces: where the bytes of one thread lie, and what happens to them.
#pragma once

#include <cstdint>

#include "texture/operation.hpp"
#include "texture/sample.hpp"
#include "texture/texture.hpp"

namespace heddle::texture {

struct SurfaceAccess {
  std::uint64_t address = 0;  // 0: none, the coordinates are outside: loads give zeros
  std::uint32_t bytes = 0;
  bool trap = false;  // outside, and the instruction says .trap
};

SurfaceAccess find_access(const Texture& surface, const Operation& operation, const std::uint64_t* arguments);

// Makes the access, unless its address is 0. Returns what is loaded. Reductions are atomic.
Words access_surface(const Texture& surface, const Operation& operation, const SurfaceAccess& access,
                     const std::uint64_t* arguments);

}  // namespace heddle::texture
