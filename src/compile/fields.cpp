#include "compile/fields.hpp"

#include <charconv>
#include <system_error>

namespace heddle::compile {

void append_field(std::string& to, std::string_view field) {
  to += std::to_string(field.size());
  to += '\n';
  to += field;
  to += '\n';
}

std::optional<std::string_view> take_field(std::string_view& from) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), length);
  if (error != std::errc{}) return {};
  from.remove_prefix(static_cast<std::size_t>(end - from.data()));
  if (from.size() < 2 || length > from.size() - 2 || from[0] != '\n' || from[length + 1] != '\n') return {};
  const std::string_view field = from.substr(1, length);
  from.remove_prefix(length + 2);
  return field;
}

}  // namespace heddle::compile
