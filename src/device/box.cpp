#include "device/box.hpp"

#include "base/fail.hpp"

namespace heddle::device {
namespace {

// a * b + c; throws when that is larger than any memory.
std::size_t multiply_add(std::size_t a, std::size_t b, std::size_t c, const char* what) {
  std::size_t product = 0, sum = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum))
    base::fail(ErrorCode::invalid_argument, "{} is larger than any memory", what);
  return sum;
}

}  // namespace

Span span_of(const BoxPlace& place, const BoxExtent& extent, const char* what) {
  if (extent.empty()) return {place.device, place.address, 0};
  if (extent.height > 1 && place.row < extent.width)
    base::fail(ErrorCode::invalid_argument, "the rows of {} overlap: each has {} bytes, and they are {} apart", what,
               extent.width, place.row);
  const std::size_t plane = multiply_add(extent.height - 1, place.row, extent.width, what);
  if (extent.depth > 1 && place.plane < plane)
    base::fail(ErrorCode::invalid_argument, "the planes of {} overlap: each takes {} bytes, and they are {} apart",
               what, plane, place.plane);
  return {place.device, place.address, multiply_add(extent.depth - 1, place.plane, plane, what)};
}

bool is_contiguous(const BoxPlace& place, const BoxExtent& extent) {
  return (extent.height <= 1 || place.row == extent.width) &&
         (extent.depth <= 1 || place.plane == extent.width * extent.height);
}

}  // namespace heddle::device
