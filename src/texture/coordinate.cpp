#include "texture/coordinate.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::texture {
namespace {

// Of numbers that 64 bits hold. (std::floor is a call on machines without SSE 4.1, for which this is built.)
std::int64_t whole_below(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  return whole - (static_cast<double>(whole) > x ? 1 : 0);
}

std::int64_t modulo(std::int64_t value, std::int64_t divisor) {
  const std::int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

// A normalized coordinate within the range that its mode repeats. What is mirrored is the number of the texel
// (address_index), as GPUs do it: a coordinate on the border between two texels then stands for the other one of them.
double folded(double x, AddressMode mode) {
  if (mode == AddressMode::wrap) return x - std::floor(x);
  if (mode == AddressMode::mirror) return x - 2 * std::floor(x / 2);
  return x;
}

}  // namespace

double fixed_weight(double fraction) { return static_cast<double>(whole_below(fraction * 256 + 0.5)) / 256; }

AddressMode effective_mode(const Sampler& sampler, unsigned dimension) {
  const AddressMode mode = sampler.address[dimension];
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return repeats && !sampler.normalized_coordinates ? AddressMode::clamp : mode;
}

std::int64_t address_index(std::int64_t index, std::uint32_t size, AddressMode mode) {
  const auto count = static_cast<std::int64_t>(size);
  switch (mode) {
    case AddressMode::wrap: return modulo(index, count);
    case AddressMode::mirror: {
      const std::int64_t place = modulo(index, 2 * count);
      return place < count ? place : 2 * count - 1 - place;
    }
    case AddressMode::border: return index < 0 || index >= count ? outside : index;
    case AddressMode::clamp: break;
  }
  return std::clamp<std::int64_t>(index, 0, count - 1);
}

AxisTaps axis_taps(float coordinate, std::int64_t offset, std::uint32_t size, AddressMode mode, bool normalized,
                   TexelFilter filter) {
  double x = std::isnan(coordinate) ? 0.0 : static_cast<double>(coordinate);
  if (std::isinf(x)) x = mode == AddressMode::wrap || mode == AddressMode::mirror ? 0.0 : std::copysign(1e9, x);
  if (normalized) x = folded(x, mode) * size;
  constexpr double far = 1e15;  // an index stays exact
  x = std::clamp(x, -far, far);
  AxisTaps taps;
  if (filter == TexelFilter::linear) x -= 0.5;
  const std::int64_t below = whole_below(x);
  taps.plain[0] = below + offset;
  taps.plain[1] = taps.plain[0] + 1;
  taps.index[0] = address_index(taps.plain[0], size, mode);
  if (filter == TexelFilter::point) {
    taps.index[1] = taps.index[0];
    return taps;
  }
  taps.index[1] = address_index(taps.plain[1], size, mode);
  taps.weight = fixed_weight(x - static_cast<double>(below));
  return taps;
}

}  // namespace heddle::texture
