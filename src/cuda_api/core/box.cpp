#include "cuda_api/core/box.hpp"

#include <fmt/format.h>

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {

std::byte* address_in_box(void* box, const BoxPlace& at, std::size_t row, std::size_t plane) {
  const std::size_t offset = plus(plus(at.x, times(at.y, row)), times(at.z, plane));
  if (plus(reinterpret_cast<std::uintptr_t>(box), offset) == SIZE_MAX)
    throw Failure(cudaErrorInvalidValue,
                  fmt::format("the place ({}, {}, {}) in memory at {} with rows of {} and planes of {} bytes has no "
                              "address",
                              at.x, at.y, at.z, box, row, plane));
  return static_cast<std::byte*>(box) + offset;
}

void check_addresses(const void* begin, std::size_t size) {
  if (plus(reinterpret_cast<std::uintptr_t>(begin), size) == SIZE_MAX)
    throw Failure(cudaErrorInvalidValue, fmt::format("{} bytes at {} go beyond all addresses", size, begin));
}

}  // namespace heddle::cuda_api
