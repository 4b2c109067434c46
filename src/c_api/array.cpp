// Arrays: bytes that kernels and the host use in turn.
#include <cstddef>
#include <cstring>
#include <string>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::text_or;

void check_range(const heddle_array& array, std::size_t offset, std::size_t bytes, const char* function) {
  const std::size_t all = array.array.bytes();
  if (offset > all || bytes > all - offset)
    heddle::c_api::refuse(std::string(function) + ": " + std::to_string(bytes) + " bytes from byte " +
                          std::to_string(offset) + " on are no part of an array of " + std::to_string(all));
}

void check_memory(const void* memory, std::size_t bytes, const char* function) {
  if (bytes > 0 && memory == nullptr) heddle::c_api::refuse(std::string(function) + ": the caller's memory is NULL");
}

}  // namespace

extern "C" {

heddle_status heddle_array_create(heddle_runtime* runtime, size_t bytes, heddle_array** array) {
  return guarded([&] {
    auto& of = given(runtime, "heddle_array_create", "the runtime").runtime;
    auto& result = given(array, "heddle_array_create", "the place of the array");
    result = new heddle_array{of.array<std::byte>(bytes)};
  });
}

void heddle_array_free(heddle_array* array) { delete array; }

heddle_status heddle_array_bytes(heddle_array* array, size_t* bytes) {
  return guarded([&] {
    const auto& of = given(array, "heddle_array_bytes", "the array").array;
    given(bytes, "heddle_array_bytes", "the place of the size") = of.bytes();
  });
}

heddle_status heddle_array_read(heddle_array* array, const void** data) {
  return guarded([&] {
    const auto& of = given(array, "heddle_array_read", "the array").array;
    auto& result = given(data, "heddle_array_read", "the place of the pointer");
    result = of.read().data();
  });
}

heddle_status heddle_array_write(heddle_array* array, void** data) {
  return guarded([&] {
    auto& of = given(array, "heddle_array_write", "the array").array;
    auto& result = given(data, "heddle_array_write", "the place of the pointer");
    result = of.write().data();
  });
}

heddle_status heddle_array_read_part(heddle_array* array, size_t offset, size_t bytes, const void** data) {
  return guarded([&] {
    const auto& of = given(array, "heddle_array_read_part", "the array");
    auto& result = given(data, "heddle_array_read_part", "the place of the pointer");
    check_range(of, offset, bytes, "heddle_array_read_part");
    result = of.array.read(offset, bytes).data();
  });
}

heddle_status heddle_array_write_part(heddle_array* array, size_t offset, size_t bytes, void** data) {
  return guarded([&] {
    auto& of = given(array, "heddle_array_write_part", "the array");
    auto& result = given(data, "heddle_array_write_part", "the place of the pointer");
    check_range(of, offset, bytes, "heddle_array_write_part");
    result = of.array.write(offset, bytes).data();
  });
}

heddle_status heddle_array_read_range(heddle_array* array, size_t offset, void* to, size_t bytes) {
  return guarded([&] {
    const auto& of = given(array, "heddle_array_read_range", "the array");
    check_range(of, offset, bytes, "heddle_array_read_range");
    check_memory(to, bytes, "heddle_array_read_range");
    if (bytes > 0) std::memcpy(to, of.array.read(offset, bytes).data(), bytes);
  });
}

heddle_status heddle_array_write_range(heddle_array* array, size_t offset, const void* from, size_t bytes) {
  return guarded([&] {
    auto& of = given(array, "heddle_array_write_range", "the array");
    check_range(of, offset, bytes, "heddle_array_write_range");
    check_memory(from, bytes, "heddle_array_write_range");
    if (bytes > 0) std::memcpy(of.array.write(offset, bytes).data(), from, bytes);
  });
}

heddle_status heddle_array_prefetch(heddle_array* array, size_t offset, size_t bytes) {
  return guarded([&] {
    const auto& of = given(array, "heddle_array_prefetch", "the array");
    if (bytes == HEDDLE_REST && offset <= of.array.bytes()) bytes = of.array.bytes() - offset;
    check_range(of, offset, bytes, "heddle_array_prefetch");
    of.array.prefetch(offset, bytes);
  });
}

heddle_status heddle_array_address(heddle_array* array, const char* device, uint64_t* address) {
  return guarded([&] {
    auto& of = given(array, "heddle_array_address", "the array").array;
    auto& result = given(address, "heddle_array_address", "the place of the address");
    result = of.address(text_or(device));
  });
}
}
