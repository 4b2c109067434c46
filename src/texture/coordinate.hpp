// From a coordinate to texels: the formulas of the CUDA C++ Programming Guide, "Texture Fetching", for one dimension.
#pragma once

#include <cstdint>

#include "heddle/texture.hpp"

namespace heddle::texture {

// Indices of texels that are not in 0 .. size - 1.
inline constexpr std::int64_t outside = -1;  // the border

// What a linear filter reads along a dimension: two texels, and the weight of the second one, a multiple of 1/256. What
// the nearest-point filter reads is the first one, with the weight 0.
struct AxisTaps {
  std::int64_t index[2] = {0, 0};  // as the addressing mode says; outside: the border
  std::int64_t plain[2] = {0, 0};  // before that
  double weight = 0;
};

// The texel that the index stands for, in an image of `size` texels.
std::int64_t address_index(std::int64_t index, std::uint32_t size, AddressMode mode);

// The addressing mode that holds: wrap and mirror are there for normalized coordinates only, and clamp stands in for
// them.
AddressMode effective_mode(const Sampler& sampler, unsigned dimension);

// `offset` counts texels. A coordinate that is no number is 0.
AxisTaps axis_taps(float coordinate, std::int64_t offset, std::uint32_t size, AddressMode mode, bool normalized,
                   TexelFilter filter);

// A weight of 9 bits, 8 of them behind the point: the nearest multiple of 1/256.
double fixed_weight(double fraction);

}  // namespace heddle::texture
