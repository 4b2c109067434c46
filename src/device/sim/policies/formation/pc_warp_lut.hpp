// The table from a place to the warp that is being formed there (Dynamic Warp Formation, section 2.5): set-associative,
// by the low bits of the program counter, with the least recently used way replaced.
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

class PcWarpLut {
 public:
  static constexpr std::uint32_t no_warp = 0xffffffffu;
  // `ways` divides `entries`, or all entries are one set.
  PcWarpLut(unsigned entries, unsigned ways);

  // The warp that is being formed at the place; no_warp: none. Marks the entry as used.
  std::uint32_t find(const Place& place);
  // From now on the place's threads go to this warp. Returns whether another place was forgotten for it.
  bool set(const Place& place, std::uint32_t warp);
  // The warp has left the pool.
  void forget(std::uint32_t warp);

 private:
  struct Entry {
    Place place;
    std::uint32_t warp = no_warp;
    std::uint64_t used = 0;
  };
  Entry* set_of(const Place& place);

  unsigned ways_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace heddle::device::sim
