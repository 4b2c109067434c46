#include "base/byte_count.hpp"

#include <charconv>
#include <cmath>

namespace heddle::base {

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  double scale = 1;
  if (!unit.empty() && unit != "B") {
    constexpr std::string_view letters = "KMGTkmgt";
    const std::size_t letter = letters.find(unit[0]), power = letter == letters.npos ? letter : letter % 4;
    const std::string_view rest = unit.substr(1);
    if (power == letters.npos || (!rest.empty() && rest != "B" && rest != "iB")) return std::nullopt;
    scale = std::ldexp(1.0, 10 * static_cast<int>(power + 1));
  }
  const double bytes = value * scale;
  if (!(bytes <= std::ldexp(1.0, 63))) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace heddle::base
