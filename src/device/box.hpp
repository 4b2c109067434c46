// Boxes of bytes: the rows and planes of 2-D and 3-D copies and fills.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/memory.hpp"

namespace heddle::device {

// The start of a box, and the distance in bytes from one row to the next and from one plane to the next. `device` as in
// Span.
struct BoxPlace {
  Device* device = nullptr;
  std::uint64_t address = 0;
  std::size_t row = 0, plane = 0;
};

struct BoxExtent {
  std::size_t width = 0;              // bytes of a row
  std::size_t height = 1, depth = 1;  // rows of a plane, planes
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  std::size_t bytes() const { return width * height * depth; }
};

// The span from the first byte of the box to its last. Throws invalid_argument if rows or planes overlap, or if the box
// is larger than an address space. `what` begins the message: "the destination of a copy".
Span span_of(const BoxPlace& place, const BoxExtent& extent, const char* what);

// Whether the box contains all bytes of its span.
bool is_contiguous(const BoxPlace& place, const BoxExtent& extent);

// The address of a row, by its number from 0 to height * depth - 1.
inline std::uint64_t row_address(const BoxPlace& place, const BoxExtent& extent, std::size_t number) {
  return place.address + number / extent.height * place.plane + number % extent.height * place.row;
}

}  // namespace heddle::device
