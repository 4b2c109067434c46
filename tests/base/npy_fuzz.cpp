// Whatever the bytes: an array that can be written and read again, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/npy.hpp"
#include "heddle/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  try {
    const base::NpyArray array = base::parse_npy(std::as_bytes(std::span(data, size)));
    const std::string again = base::format_npy(array);
    const base::NpyArray second = base::parse_npy(std::as_bytes(std::span(again.data(), again.size())));
    if (second.type != array.type || second.shape != array.shape || second.data != array.data) std::abort();
  } catch (const Error&) {
    return 0;  // refused, as most are
  }
  return 0;
}
