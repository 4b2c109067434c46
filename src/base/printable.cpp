#include "base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

namespace heddle::base {

std::string printable(std::string_view text, std::string_view allowed) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool control = code < 0x20 || code == 0x7f;
    if (!control || allowed.find(c) != allowed.npos)
      result += c;
    else if (c == '\n')
      result += "\\n";
    else
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", code);
  }
  return result;
}

}  // namespace heddle::base
