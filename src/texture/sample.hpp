// Sampling, in two steps: which texels a thread reads and with which weights, then what it gets. Between them a device
// may check or count the accesses.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "texture/operation.hpp"
#include "texture/texture.hpp"

namespace heddle::texture {

struct Tap {
  std::uint64_t address;  // of the texel; 0: the border
  double weight;
};

struct Taps {
  // Three texels meet in each corner of a cube: at most 6 on a level.
  static constexpr unsigned most = 16;
  std::array<Tap, most> taps;
  unsigned count = 0;
  void add(std::uint64_t address, double weight) { taps[count++] = {address, weight}; }
  std::span<const Tap> all() const { return {taps.data(), count}; }
};

// The texels of Kind::sample and Kind::gather. Texels that have no weight are left out. Of integers, which no filter
// weighs, there is one.
Taps find_taps(const Texture& texture, const Operation& operation, const std::uint64_t* arguments);

using Words = std::array<std::uint64_t, Operation::most_results>;
// What is read there: numbers as bits of floats, integers as they are. The sum of weighted texels is computed in double
// precision and rounded once.
Words read_taps(const Texture& texture, const Operation& operation, const Taps& taps);

inline bool is_kind_query(Query query) { return query >= Query::is_texture; }
// Whether a handle is of that kind; `texture`: what it names, null: nothing. Samplers have no handles of their own.
std::uint64_t answer_kind(const Texture* texture, Query query);
// Kind::query, of all others.
std::uint64_t answer(const Texture& texture, const Operation& operation, const std::uint64_t* arguments);

}  // namespace heddle::texture
