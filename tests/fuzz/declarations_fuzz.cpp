// What is found of kernels in any text reads the same from behind PTX.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compile/declarations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const auto found = compile::find_kernel_declarations({reinterpret_cast<const char*>(data), size});
  std::string text;
  for (const ptx::KernelNote& note : found) text += to_text(note);
  if (!(ptx::read_kernel_notes(text) == found)) std::abort();
  return 0;
}
