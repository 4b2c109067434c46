// Boxes of bytes: the rows and planes that 2-D and 3-D copies and fills take.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/memory.hpp"

namespace heddle::device {

// Where a box begins, and how many bytes lie between the beginnings of its rows and of its planes. `device` as in Span.
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

// From the first byte of the box to its last. Throws invalid_argument when rows or planes overlap, or when the box is
// larger than an address space; `what` begins its sentence: "the destination of a copy".
Span span_of(const BoxPlace& place, const BoxExtent& extent, const char* what);

// Whether the box's bytes are all those of its span.
bool is_contiguous(const BoxPlace& place, const BoxExtent& extent);

// The address of a row, by its number from 0 to height * depth - 1.
inline std::uint64_t row_address(const BoxPlace& place, const BoxExtent& extent, std::size_t number) {
  return place.address + number / extent.height * place.plane + number % extent.height * place.row;
}

}  // namespace heddle::device
