// A texture or a surface as devices keep it.
#pragma once

#include <cstdint>

#include "heddle/texture.hpp"

namespace heddle::texture {

enum class Use : std::uint8_t { texture, surface };

struct Texture {
  Use use = Use::texture;
  Image image;
  Sampler sampler;  // of a texture
};

}  // namespace heddle::texture
