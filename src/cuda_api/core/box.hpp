// Sizes and places in boxes of memory, which programs give as any numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::cuda_api {

// Products and sums that do not fit into 64 bits are the largest number, which no memory has, and not a small one.
constexpr std::size_t times(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}
constexpr std::size_t plus(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

struct BoxPlace {
  std::size_t x = 0, y = 0, z = 0;
};

// The address of a place in a box. Throws cudaErrorInvalidValue where there is no such address.
std::byte* address_in_box(void* box, const BoxPlace& at, std::size_t row, std::size_t plane);

// Throws cudaErrorInvalidValue if addresses end before `size` bytes from here on do.
void check_addresses(const void* begin, std::size_t size);

}  // namespace heddle::cuda_api
