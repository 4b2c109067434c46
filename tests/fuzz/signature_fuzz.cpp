// A text is a signature, and then reads the same again, or is refused with its place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "heddle/error.hpp"
#include "modules/signature.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const modules::Signature made = modules::parse_signature(text);
    if (!(modules::parse_signature(modules::to_text(made)) == made)) std::abort();
  } catch (const Error& error) {
    const bool told = std::string_view(error.what()).find("at character ") != std::string_view::npos;
    if (error.code() != ErrorCode::parse_error || !told) std::abort();
  }
  return 0;
}
