// Images in a device's memory, and how kernels read and write them: as textures, which are sampled, and as surfaces.
// The values have the meaning of the CUDA C++ Programming Guide, "Texture and Surface Memory" and "Texture Fetching".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

enum class ChannelKind : std::uint8_t {
  signed_integer,
  unsigned_integer,
  floating,
  signed_normalized,    // an integer that stands for a number in [-1, 1]
  unsigned_normalized,  // and in [0, 1]
};

// What a texel is: 1, 2 or 4 channels of 8, 16 or 32 bits.
struct TexelFormat {
  ChannelKind kind = ChannelKind::unsigned_integer;
  std::uint8_t bits = 32, channels = 1;
  unsigned bytes() const { return bits / 8u * channels; }
};

enum class ImageShape : std::uint8_t {
  linear,  // plain memory, read by the number of a texel
  one,
  two,
  three,
  cube,
};

// One level of detail: rows of texels, one behind the other. The slices of a level are those of its depth, or its
// layers.
struct ImageLevel {
  std::uint64_t address = 0;                       // on the device
  std::uint32_t width = 1, height = 1, depth = 1;  // texels
  std::uint64_t row_bytes = 0, slice_bytes = 0;    // from row to row, from slice to slice
};

struct Image {
  static constexpr unsigned most_levels = 17;
  TexelFormat format;
  ImageShape shape = ImageShape::one;
  bool layered = false;
  std::uint32_t layers = 1;  // of cubes: six faces each
  std::uint32_t levels = 1;
  std::array<ImageLevel, most_levels> level;
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class TexelFilter : std::uint8_t { point, linear };

struct Sampler {
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  TexelFilter filter = TexelFilter::point, level_filter = TexelFilter::point;
  bool normalized_coordinates = false;  // from 0 to 1, whatever the size
  bool normalized_values = false;       // integers are read as fractions of their range
  bool srgb = false;                    // the first three channels are sRGB, and are read as linear
  bool seamless = false;                // filtering passes over the edges of a cube
  std::array<float, 4> border{};
  float level_bias = 0, least_level = 0, most_level = 0;
};

// The textures and surfaces of a device. Any thread. A texture that is removed must not be used by a kernel any more.
class TextureTable {
 public:
  virtual ~TextureTable() = default;
  // The number by which kernels know it: never 0, and no other one that exists has it. The memory is the caller's.
  // Throws Error: invalid_argument for an image or a sampler that makes no sense, out_of_memory.
  virtual std::uint64_t add_texture(const Image& image, const Sampler& sampler) = 0;
  virtual std::uint64_t add_surface(const Image& image) = 0;
  // False if there is no such texture or surface.
  virtual bool remove(std::uint64_t handle) = 0;
};

}  // namespace heddle
