#include "texture/execute.hpp"

#include <fmt/format.h>

namespace heddle::texture {

std::string describe(Mistake mistake, std::uint64_t handle) {
  switch (mistake) {
    case Mistake::no_such_handle:
      return fmt::format(
          "the handle {:#x} names no texture and no surface of the device: it was never made, or it is "
          "destroyed",
          handle);
    case Mistake::not_a_texture: return fmt::format("the handle {:#x} is that of a surface, not of a texture", handle);
    case Mistake::not_a_surface: return fmt::format("the handle {:#x} is that of a texture, not of a surface", handle);
    case Mistake::wrong_shape:
      return fmt::format("the texture {:#x} is read as a cube and is not a cube, or is a cube and is read as an image",
                         handle);
    case Mistake::outside:
      return fmt::format("an access outside the surface {:#x}, which the instruction makes a trap (.trap)", handle);
    case Mistake::misaligned:
      return fmt::format("a reduction in the surface {:#x} at a place that is no multiple of its size", handle);
    case Mistake::memory:
    case Mistake::none: break;
  }
  return {};
}

}  // namespace heddle::texture
