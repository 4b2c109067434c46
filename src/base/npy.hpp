// NumPy's .npy files (format versions 1.0 to 3.0): one array of plain numbers, little-endian, C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

enum class NpyType : std::uint8_t { b1, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, c64, c128 };
std::size_t byte_size(NpyType type);
std::string_view name(NpyType type);                               // "f32"
std::optional<NpyType> npy_type_from_name(std::string_view text);  // by the name above

struct NpyArray {
  NpyType type = NpyType::f32;
  std::vector<std::uint64_t> shape;  // empty: a single value
  std::vector<std::byte> data;       // row-major
  std::uint64_t count() const;       // product of the shape
  std::string shape_text() const;    // "1024x768"
};

// Throws not_found, io_error or invalid_argument. The message names `path` (or "the array") and what is wrong: not a
// .npy file, truncated, surplus bytes, big-endian, Fortran order, or a type that is not a plain number.
NpyArray read_npy(const std::filesystem::path& path);
// The same without its data, which are not read.
NpyArray read_npy_header(const std::filesystem::path& path);
NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view where = "the array");

// Version 1.0. Throws invalid_argument if the data does not match type and shape, io_error if writing fails.
void write_npy(const std::filesystem::path& path, const NpyArray& array);
std::string format_npy(const NpyArray& array);

}  // namespace heddle::base
