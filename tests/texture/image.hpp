// Images in memory for the tests, and how a texture is asked.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "texture/sample.hpp"
#include "texture/texture.hpp"

namespace heddle::texture {

template <class T>
Image image_of(const std::vector<T>& texels, TexelFormat format, ImageShape shape, std::uint32_t width,
               std::uint32_t height = 1, std::uint32_t slices = 1) {
  Image image;
  image.format = format;
  image.shape = shape;
  ImageLevel& level = image.level[0];
  level.address = reinterpret_cast<std::uint64_t>(texels.data());
  level.width = width;
  level.height = height;
  level.depth = shape == ImageShape::three ? slices : 1;
  image.layers = shape == ImageShape::three ? 1 : slices;
  image.layered = image.layers > 1;
  level.row_bytes = std::uint64_t{width} * format.bytes();
  level.slice_bytes = level.row_bytes * height;
  return image;
}

inline constexpr TexelFormat f32{ChannelKind::floating, 32, 1}, u8{ChannelKind::unsigned_integer, 8, 1};

// Floats as words of arguments.
inline std::vector<std::uint64_t> words(std::initializer_list<float> values) {
  std::vector<std::uint64_t> result;
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}

inline float real(std::uint64_t word) { return std::bit_cast<float>(static_cast<std::uint32_t>(word)); }

inline Words sample(const Texture& texture, const Operation& operation, const std::vector<std::uint64_t>& arguments) {
  return read_taps(texture, operation, find_taps(texture, operation, arguments.data()));
}

}  // namespace heddle::texture
