// printf as kernels do it: the arguments lie packed in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::device::interp {

// Where format_kernel_printf gets its arguments: `read` copies `bytes` bytes at `offset` of the argument buffer,
// `string` gives the text at an address, or the first `most` characters of it.
struct PrintfArguments {
  std::function<std::uint64_t(std::uint64_t offset, unsigned bytes)> read;
  std::function<std::string(std::uint64_t address, std::size_t most)> string;
};

// The text, with the conversions of C except n; each argument takes 4 or 8 bytes at its own alignment. `count` becomes
// the number of arguments used. A conversion that does not exist is printed as written.
std::string format_kernel_printf(std::string_view format, const PrintfArguments& arguments, int& count);

}  // namespace heddle::device::interp
