#include "texture/surface.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "texture/texel.hpp"

namespace heddle::texture {
namespace {

bool counts_texels(Kind kind) { return kind == Kind::store_formatted || kind == Kind::reduce_formatted; }

std::uint32_t access_bytes(const Texture& surface, const Operation& operation) {
  if (operation.kind == Kind::store_formatted) return surface.image.format.bytes();
  return std::uint32_t{operation.elements} * operation.element_bytes;
}

std::int64_t integer_of(std::uint64_t word) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(word)); }

// Brings an index into 0 .. last. False if the access does not take place.
bool place(std::int64_t& index, std::int64_t last, OutOfBounds bounds) {
  if (index >= 0 && index <= last) return true;
  index = std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(last, 0));
  return bounds == OutOfBounds::clamp && last >= 0;
}

template <class T>
void reduce(std::uint64_t address, Combine combine, T value) {
  std::atomic_ref<T> word(*reinterpret_cast<T*>(address));
  T old = word.load(std::memory_order_relaxed);
  const auto combined = [&]() -> T {
    switch (combine) {
      case Combine::add: return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(value));
      case Combine::min: return std::min(old, value);
      case Combine::max: return std::max(old, value);
      case Combine::and_: return old & value;
      case Combine::or_: break;
    }
    return old | value;
  };
  while (!word.compare_exchange_weak(old, combined(), std::memory_order_relaxed)) {
  }
}

void reduce(const Operation& operation, bool is_signed, std::uint64_t address, std::uint64_t value) {
  if (operation.element_bytes == 8) {
    if (is_signed) return reduce<std::int64_t>(address, operation.combine, static_cast<std::int64_t>(value));
    return reduce<std::uint64_t>(address, operation.combine, value);
  }
  const auto word = static_cast<std::uint32_t>(value);
  if (is_signed) return reduce<std::int32_t>(address, operation.combine, static_cast<std::int32_t>(word));
  reduce<std::uint32_t>(address, operation.combine, word);
}

}  // namespace

SurfaceAccess find_access(const Texture& surface, const Operation& operation, const std::uint64_t* arguments) {
  const Image& image = surface.image;
  const ImageLevel& level = image.level[0];
  SurfaceAccess access;
  access.bytes = access_bytes(surface, operation);
  const std::int64_t texel = image.format.bytes(), width = level.width;
  const unsigned first = operation.layered ? 1 : 0, n = operation.dimensions();
  std::int64_t slice = operation.layered ? integer_of(arguments[0]) : 0;
  std::int64_t x = integer_of(arguments[first]), y = n > 1 ? integer_of(arguments[first + 1]) : 0;
  if (n > 2) slice = integer_of(arguments[first + 2]);
  const std::int64_t slices = image.shape == ImageShape::three ? level.depth : image.layers;
  if (counts_texels(operation.kind)) x *= texel;
  const bool inside = place(x, width * texel - access.bytes, operation.bounds) &
                      place(y, std::int64_t{level.height} - 1, operation.bounds) &
                      place(slice, slices - 1, operation.bounds);
  access.trap = !inside && operation.bounds == OutOfBounds::trap;
  if (inside)
    access.address = level.address + static_cast<std::uint64_t>(slice) * level.slice_bytes +
                     static_cast<std::uint64_t>(y) * level.row_bytes + static_cast<std::uint64_t>(x);
  return access;
}

Words access_surface(const Texture& surface, const Operation& operation, const SurfaceAccess& access,
                     const std::uint64_t* arguments) {
  Words words{};
  if (access.address == 0) return words;
  auto* const at = reinterpret_cast<std::byte*>(access.address);
  const std::uint64_t* const values = arguments + (operation.layered ? 1 : 0) + operation.dimensions();
  const unsigned size = operation.element_bytes;
  switch (operation.kind) {
    case Kind::load:
      for (unsigned i = 0; i < operation.elements; ++i) std::memcpy(&words[i], at + std::size_t{i} * size, size);
      break;
    case Kind::store:
      for (unsigned i = 0; i < operation.elements; ++i) std::memcpy(at + std::size_t{i} * size, &values[i], size);
      break;
    case Kind::store_formatted: {
      std::array<std::uint32_t, 4> channels{};
      for (unsigned i = 0; i < operation.elements; ++i) channels[i] = static_cast<std::uint32_t>(values[i]);
      store_channels(surface.image.format, at, channels);
      break;
    }
    case Kind::reduce: reduce(operation, operation.is_signed, access.address, values[0]); break;
    case Kind::reduce_formatted:
      reduce(operation, surface.image.format.kind == ChannelKind::signed_integer, access.address, values[0]);
      break;
    default: break;
  }
  return words;
}

}  // namespace heddle::texture
