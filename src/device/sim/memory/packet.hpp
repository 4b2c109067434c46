// What crosses the crossbar.
#pragma once

#include <cstdint>

#include "device/sim/memory/coalescer.hpp"
#include "device/sim/memory/ticks.hpp"

namespace heddle::device::sim {

enum class RequestKind : std::uint8_t { load, store, atomic, reduction, write_back };

// From an SM to a slice. Addresses are those within the slice (AddressMap).
struct Request {
  Ticks arrival = 0;  // at the slice
  std::uint64_t chunk = 0;
  std::uint32_t words = 0;     // stores, atomics: that are written
  std::uint32_t id = 0;        // the SM's, comes back with the response
  std::uint32_t sequence = 0;  // of the SM's requests
  std::uint16_t sm = 0, slice = 0;
  RequestKind kind = RequestKind::load;
  SectorMask sectors = 0;
  std::uint8_t operations = 0, at_one_word = 0;  // as in Transaction
};

// From a slice to an SM: data, or that the slice has accepted a store.
struct Response {
  Ticks departure = 0;  // from the slice
  std::uint32_t id = 0;
  std::uint32_t sequence = 0;  // of the slice's responses
  std::uint16_t slice = 0, bytes = 0;
  SectorMask sectors = 0;

  // The order in which an SM receives responses.
  bool before(const Response& other) const {
    if (departure != other.departure) return departure < other.departure;
    return slice != other.slice ? slice < other.slice : sequence < other.sequence;
  }
};

}  // namespace heddle::device::sim
