#include "base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/fail.hpp"

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

bool has_line_end(const std::filesystem::path& name) {
  return name.native().find_first_of("\n\r") != std::string::npos;
}

void refuse_line_end_of_source(const std::filesystem::path& source) {
  if (!has_line_end(source)) return;
  const std::filesystem::path file = source.filename();
  if (has_line_end(file))
    fail(ErrorCode::invalid_argument, "{}: the name of a source must have no line end in it; rename the file",
         printable(source.string()));
  fail(ErrorCode::invalid_argument,
       "{}: the name of a source must have no line end in it; rename the folder, or name the file from inside the "
       "folder, as {}",
       printable(source.string()), printable(file.string()));
}

}  // namespace heddle::base
