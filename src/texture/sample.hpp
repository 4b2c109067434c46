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
  std::uint64_t address = 0;  // of the texel; 0: the border
  double weight = 1;
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

// Kind::query.
std::uint64_t answer(const Texture& texture, const Operation& operation, const std::uint64_t* arguments);

}  // namespace heddle::texture
