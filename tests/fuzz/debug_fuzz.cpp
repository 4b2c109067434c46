// Debug information is read, or is passed over: any text gives a list of functions.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/debug/functions.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::ptx::read_debug_functions({reinterpret_cast<const char*>(data), size});
  return 0;
}
