// Texels: what the bytes of an image mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/texture.hpp"

namespace heddle::texture {

// The channels of a texel as integers: numbers of 32 bits, extended by their sign if they have one; floats by their
// bits, those of 16 bits widened. Channels that the format lacks are 0, the fourth one is 1.
std::array<std::uint32_t, 4> integer_channels(const TexelFormat& format, const std::byte* texel);

// The channels as numbers: of normalized formats, and of integers with `normalized`, fractions. A signed integer stands
// for max(v / (2^(bits-1) - 1), -1). `srgb`: the first three channels are decoded, as IEC 61966-2-1 says.
std::array<float, 4> real_channels(const TexelFormat& format, const std::byte* texel, bool normalized, bool srgb);

// Writes the channels of a texel: words of 32 bits, floats of floating and normalized formats, integers of the others.
// Numbers that the format does not hold become the nearest that it holds.
void store_channels(const TexelFormat& format, std::byte* texel, const std::array<std::uint32_t, 4>& words);

// Whether texels are read as numbers, which can be filtered.
inline bool reads_reals(const TexelFormat& format, bool normalized) {
  return normalized || format.kind == ChannelKind::floating || format.kind == ChannelKind::signed_normalized ||
         format.kind == ChannelKind::unsigned_normalized;
}

}  // namespace heddle::texture
