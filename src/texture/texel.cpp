#include "texture/texel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "texture/half.hpp"

namespace heddle::texture {
namespace {

bool is_signed(ChannelKind kind) {
  return kind == ChannelKind::signed_integer || kind == ChannelKind::signed_normalized;
}

std::uint32_t raw_channel(const TexelFormat& format, const std::byte* texel, unsigned channel) {
  const std::byte* const at = texel + std::size_t{channel} * (format.bits / 8u);
  std::uint32_t bits = 0;
  switch (format.bits) {  // sizes that the compiler knows
    case 8: return std::to_integer<std::uint32_t>(*at);
    case 16: std::memcpy(&bits, at, 2); break;
    default: std::memcpy(&bits, at, 4); break;
  }
  return bits;
}

std::int32_t extended(std::uint32_t bits, unsigned width) {
  const unsigned unused = 32 - width;
  return static_cast<std::int32_t>(bits << unused) >> unused;
}

double largest(const TexelFormat& format) {
  return static_cast<double>((std::int64_t{1} << (format.bits - (is_signed(format.kind) ? 1 : 0))) - 1);
}

float fraction(const TexelFormat& format, std::uint32_t bits) {
  const double most = largest(format);
  if (!is_signed(format.kind)) return static_cast<float>(bits / most);
  return static_cast<float>(std::max(extended(bits, format.bits) / most, -1.0));
}

float real(const TexelFormat& format, std::uint32_t bits) {
  if (format.bits == 16) return half_to_float(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(bits);
}

float decode_srgb(float value) {
  if (value <= 0.04045f) return value / 12.92f;
  return static_cast<float>(std::pow((static_cast<double>(value) + 0.055) / 1.055, 2.4));
}

std::uint32_t encode_real(const TexelFormat& format, float value) {
  if (format.kind == ChannelKind::floating)
    return format.bits == 16 ? float_to_half(value) : std::bit_cast<std::uint32_t>(value);
  const double low = is_signed(format.kind) ? -1.0 : 0.0;
  const double held = std::isnan(value) ? 0.0 : std::clamp(static_cast<double>(value), low, 1.0);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::nearbyint(held * largest(format))));
}

std::uint32_t encode_integer(const TexelFormat& format, std::uint32_t word) {
  if (format.bits == 32) return word;
  const std::int64_t most = (std::int64_t{1} << (format.bits - (is_signed(format.kind) ? 1 : 0))) - 1;
  if (!is_signed(format.kind)) return static_cast<std::uint32_t>(std::min<std::int64_t>(word, most));
  const std::int64_t value = static_cast<std::int32_t>(word);
  return static_cast<std::uint32_t>(std::clamp(value, -most - 1, most));
}

}  // namespace

std::array<std::uint32_t, 4> integer_channels(const TexelFormat& format, const std::byte* texel) {
  const bool floating = format.kind == ChannelKind::floating;
  std::array<std::uint32_t, 4> words{0, 0, 0, floating ? std::bit_cast<std::uint32_t>(1.0f) : 1u};
  for (unsigned c = 0; c < format.channels; ++c) {
    const std::uint32_t bits = raw_channel(format, texel, c);
    if (floating)
      words[c] = std::bit_cast<std::uint32_t>(real(format, bits));
    else
      words[c] = is_signed(format.kind) ? static_cast<std::uint32_t>(extended(bits, format.bits)) : bits;
  }
  return words;
}

std::array<float, 4> real_channels(const TexelFormat& format, const std::byte* texel, bool normalized, bool srgb) {
  std::array<float, 4> values{0, 0, 0, 1};
  for (unsigned c = 0; c < format.channels; ++c) {
    const std::uint32_t bits = raw_channel(format, texel, c);
    if (format.kind == ChannelKind::floating)
      values[c] = real(format, bits);
    else if (reads_reals(format, normalized))
      values[c] = fraction(format, bits);
    else
      values[c] = is_signed(format.kind) ? static_cast<float>(extended(bits, format.bits)) : static_cast<float>(bits);
    if (srgb && c < 3) values[c] = decode_srgb(values[c]);
  }
  return values;
}

void store_channels(const TexelFormat& format, std::byte* texel, const std::array<std::uint32_t, 4>& words) {
  const unsigned bytes = format.bits / 8u;
  for (unsigned c = 0; c < format.channels; ++c) {
    const std::uint32_t bits = reads_reals(format, false) ? encode_real(format, std::bit_cast<float>(words[c]))
                                                          : encode_integer(format, words[c]);
    std::memcpy(texel + std::size_t{c} * bytes, &bits, bytes);
  }
}

}  // namespace heddle::texture
