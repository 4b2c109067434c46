// Which slice has an address, and which address it has there: `interleave` consecutive bytes lie in one slice, then
// come the next slice's. With `hash` each row of such pieces begins with another slice, so that strides of powers of
// two use all.
#pragma once

#include <bit>
#include <cstdint>

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

class AddressMap {
 public:
  struct Place {
    unsigned slice = 0;
    std::uint64_t address = 0;  // without gaps
  };

  explicit AddressMap(const MachineDescription& machine)
      : slices_(machine.l2.slices),
        shift_(static_cast<unsigned>(std::countr_zero(machine.dram.interleave))),
        hash_(machine.dram.hash) {}

  Place place(std::uint64_t address) const {
    const std::uint64_t piece = address >> shift_, row = piece / slices_;
    std::uint64_t slice = piece % slices_;
    if (hash_) slice = (slice + (row * 0x9e3779b97f4a7c15 >> 40)) % slices_;
    return {static_cast<unsigned>(slice), row << shift_ | (address & ((std::uint64_t{1} << shift_) - 1))};
  }

 private:
  unsigned slices_, shift_;
  bool hash_;
};

}  // namespace heddle::device::sim
