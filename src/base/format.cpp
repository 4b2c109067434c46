#include "base/format.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace heddle::base {
namespace {

// Three significant digits.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 119.5) return three_digits(seconds) + " s";
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string format_bandwidth(double bytes_per_second) {
  if (!std::isfinite(bytes_per_second)) return "unknown";
  constexpr std::array<const char*, 5> units = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  std::size_t unit = 0;
  while (std::fabs(bytes_per_second) >= 999.5 && unit + 1 < units.size()) {
    bytes_per_second /= 1000;
    ++unit;
  }
  return three_digits(bytes_per_second) + " " + units[unit];
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string format_triple(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return fmt::format("({}, {}, {})", x, y, z);
}

}  // namespace heddle::base
