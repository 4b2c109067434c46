// One operation of one thread, from the handle to the result. What may not be accessed is found before it is.
#pragma once

#include <cstdint>
#include <string>

#include "texture/sample.hpp"
#include "texture/surface.hpp"
#include "texture/table.hpp"

namespace heddle::texture {

enum class Mistake : std::uint8_t {
  none,
  no_such_handle,
  not_a_texture,
  not_a_surface,
  wrong_shape,  // a cube is asked for, or a filter of plain memory
  outside,      // of a surface, and the instruction says .trap
  misaligned,   // a reduction
  memory,       // the device does not permit the access, and has noted why
};

// "the handle 0x7 names no texture and no surface of the device"
std::string describe(Mistake mistake, std::uint64_t handle);

// Executes the operation. `permits(address, bytes)` is asked for each access before the first one is made; where it
// says no, nothing happens.
template <class Permits>
Mistake execute(const Table& table, const Operation& operation, std::uint64_t handle, const std::uint64_t* arguments,
                Words& result, Permits&& permits) {
  const Texture* const texture = table.find(handle);
  if (operation.kind == Kind::query && is_kind_query(operation.query)) {
    result[0] = answer_kind(texture, operation.query);
    return Mistake::none;
  }
  if (!texture) return Mistake::no_such_handle;
  if (operation.kind == Kind::query) {
    result[0] = answer(*texture, operation, arguments);
    return Mistake::none;
  }
  if (operation.is_surface()) {
    if (texture->use != Use::surface) return Mistake::not_a_surface;
    const SurfaceAccess access = find_access(*texture, operation, arguments);
    if (access.trap) return Mistake::outside;
    const bool reduces = operation.kind == Kind::reduce || operation.kind == Kind::reduce_formatted;
    if (reduces && access.address % operation.element_bytes != 0) return Mistake::misaligned;
    if (access.address != 0 && !permits(access.address, access.bytes)) return Mistake::memory;
    result = access_surface(*texture, operation, access, arguments);
    return Mistake::none;
  }
  if (texture->use != Use::texture) return Mistake::not_a_texture;
  const ImageShape shape = texture->image.shape;
  if ((operation.geometry == Geometry::cube) != (shape == ImageShape::cube)) return Mistake::wrong_shape;
  const Taps taps = find_taps(*texture, operation, arguments);
  const unsigned bytes = texture->image.format.bytes();
  for (const Tap& tap : taps.all())
    if (tap.address != 0 && !permits(tap.address, bytes)) return Mistake::memory;
  result = read_taps(*texture, operation, taps);
  return Mistake::none;
}

}  // namespace heddle::texture
