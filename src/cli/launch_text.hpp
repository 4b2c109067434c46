// The texts of `heddle launch`: shapes, block ranges and arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.hpp"
#include "heddle/dim3.hpp"
#include "heddle/launch.hpp"

namespace heddle::cli {

// What CUDA allows in each direction, on any device.
constexpr Dim3 largest_grid{0x7fffffff, 65535, 65535}, largest_block{1024, 1024, 64};
// "4096", "64x32", "8,8,4", each at most as in `most`. Throws UsageError; `option` is for its message.
Dim3 parse_shape(std::string_view text, std::string_view option, const Dim3& most);
// "0:100", within `grid`. Throws UsageError.
BlockRange parse_blocks(std::string_view text, const Dim3& grid);
// "0-31", "0,1,6-9": ascending. Throws UsageError.
std::vector<unsigned> parse_processors(std::string_view text);

// One --arg.
struct ArgumentText {
  enum class Kind { scalar, bytes, null, in, inout, out, zeros };
  Kind kind = Kind::scalar;
  Argument::Kind scalar_kind = Argument::Kind::integer;
  std::vector<std::byte> value;  // of a scalar or of bytes
  std::filesystem::path file;    // of in, inout, out
  // Of out and zeros; of the others once the file is known.
  base::NpyType type = base::NpyType::f32;
  std::vector<std::uint64_t> shape;

  bool is_array() const { return kind >= Kind::in; }
};
// i32:7, f32:2.5, hex:00ff10, null, in:x.npy, inout:y.npy, out:z.npy:f32:1024x768, zeros:u8:100. Throws UsageError,
// with the valid forms; `said_by` is what the user wrote in front of the text.
ArgumentText parse_argument(std::string_view text, std::string_view said_by = "--arg");

// What the elements are to kernels.
ElementType element_of(base::NpyType type);

// How messages name what the user wrote.
struct ResultNames {
  std::string argument = "--arg", folder = "the folder of --out-dir";
};
// Where the result of each --arg goes; empty for those without one. `texts` are the arguments as the user wrote them,
// `folder` that of --out-dir, or empty. Throws invalid_argument if two would go to the same file, since one would be
// lost.
std::vector<std::filesystem::path> result_files(std::span<const std::string> texts,
                                                std::span<const ArgumentText> arguments,
                                                const std::filesystem::path& folder, const ResultNames& names = {});

}  // namespace heddle::cli
