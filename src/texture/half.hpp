// Numbers of 16 bits (IEEE binary16) from and to floats, rounded to the nearest even one.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::texture {

inline float half_to_float(std::uint16_t bits) {
  const unsigned exponent = bits >> 10 & 31u, fraction = bits & 0x3ffu;
  float magnitude = 0;
  if (exponent == 31)
    magnitude = std::bit_cast<float>(0x7f800000u | fraction << 13);
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  else
    magnitude = std::ldexp(static_cast<float>(fraction + 1024), static_cast<int>(exponent) - 25);
  return bits & 0x8000u ? -magnitude : magnitude;
}

inline std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  if (std::isnan(value)) return 0x7fff;
  const float magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0f) return sign | 0x7c00u;  // rounds to more than the largest one
  // In units of the last place: an exact scaling, and one rounding.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int scale = exponent - 11 < -24 ? -24 : exponent - 11;
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -scale)));
  // 1024 units and more have the implicit bit, which is the lowest of the exponent.
  return static_cast<std::uint16_t>(sign | (units + (static_cast<std::uint32_t>(scale + 24) << 10)));
}

}  // namespace heddle::texture
