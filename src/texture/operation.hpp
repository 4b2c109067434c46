// What an instruction asks of a texture or a surface: decoded once, executed for one thread at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heddle::texture {

enum class Kind : std::uint8_t {
  sample,           // tex
  gather,           // tld4: one channel of the four texels that a linear filter would weigh
  query,            // txq, suq
  load,             // suld
  store,            // sust.b: bytes
  store_formatted,  // sust.p: values, converted to the format of the surface
  reduce,           // sured.b: the x coordinate counts bytes
  reduce_formatted  // sured.p: it counts texels
};
enum class Geometry : std::uint8_t { one, two, three, cube };
enum class LevelBy : std::uint8_t { base, level, gradient };
enum class Result : std::uint8_t { words, half, half_pairs };
enum class OutOfBounds : std::uint8_t { trap, clamp, zero };
enum class Combine : std::uint8_t { add, min, max, and_, or_ };
enum class Query : std::uint8_t {
  width,
  height,
  depth,
  channel_data_type,
  channel_order,
  normalized_coordinates,
  array_size,
  levels,
  samples,
  memory_layout,
  unnormalized_forced,
  filter_mode,
  address_mode_0,
  address_mode_1,
  address_mode_2,
  // istypep: what the handle is; there need not be such a one.
  is_texture,
  is_sampler,
  is_surface,
};

// The arguments of an operation are words, in this order: the layer, the coordinates, the level or the gradients by x
// and by y, the offsets; of stores and reductions the values behind the coordinates. Numbers of 32 bits are in the low
// half of a word.
struct Operation {
  static constexpr unsigned most_arguments = 16, most_results = 4;
  Kind kind = Kind::sample;
  Geometry geometry = Geometry::one;
  bool layered = false;
  bool integer_coordinates = false;
  LevelBy level = LevelBy::base;
  bool integer_level = false;
  bool has_offset = false;
  Result result = Result::words;
  std::uint8_t component = 0;  // of a gather
  Query query = Query::width;
  std::uint8_t elements = 4, element_bytes = 4;  // of accesses of surfaces
  OutOfBounds bounds = OutOfBounds::trap;
  Combine combine = Combine::add;
  bool is_signed = false;                           // of a reduction
  std::uint8_t arguments : 5 = 0, results : 3 = 0;  // words

  unsigned dimensions() const { return geometry == Geometry::one ? 1 : geometry == Geometry::two ? 2 : 3; }
  unsigned offsets() const { return has_offset ? dimensions() : 0; }
  // An access of a surface.
  bool is_surface() const { return kind >= Kind::load; }
  bool writes() const { return kind >= Kind::store; }
  friend bool operator==(const Operation&, const Operation&) = default;
};

// As two words, which generated code hands back.
using PackedOperation = std::array<std::uint64_t, 2>;
static_assert(sizeof(Operation) == sizeof(PackedOperation));
inline PackedOperation pack(const Operation& operation) { return std::bit_cast<PackedOperation>(operation); }
inline Operation unpack(std::uint64_t low, std::uint64_t high) {
  return std::bit_cast<Operation>(PackedOperation{low, high});
}

}  // namespace heddle::texture
