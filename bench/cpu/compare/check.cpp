#include "compare/check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace heddle::bench {
namespace {

double value_at(const ArraySpec& spec, std::span<const std::byte> bytes, std::size_t index) {
  switch (spec.element) {
    case Element::f32: {
      float value = 0;
      std::memcpy(&value, bytes.data() + 4 * index, 4);
      return value;
    }
    case Element::i32: {
      std::int32_t value = 0;
      std::memcpy(&value, bytes.data() + 4 * index, 4);
      return value;
    }
    case Element::u32: {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + 4 * index, 4);
      return value;
    }
    case Element::u8: return static_cast<double>(bytes[index]);
  }
  return 0;
}

std::size_t count(const ArraySpec& spec) { return spec.initial.size() / (spec.element == Element::u8 ? 1 : 4); }

double root_mean_square(const ArraySpec& spec, std::span<const std::byte> bytes) {
  double sum = 0;
  for (std::size_t i = 0; i < count(spec); ++i) sum += value_at(spec, bytes, i) * value_at(spec, bytes, i);
  return std::sqrt(sum / static_cast<double>(count(spec)));
}

std::string array_difference(const Case& test, std::size_t array, Contender& one, Contender& other) {
  const ArraySpec& spec = test.arrays[array];
  const auto left = one.read(array), right = other.read(array);
  const double scale = root_mean_square(spec, right);
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < count(spec); ++i) {
    const double a = value_at(spec, left, i), b = value_at(spec, right, i);
    // Written so that a NaN is wrong.
    if (std::abs(a - b) <= test.tolerance.relative * (std::abs(b) + scale)) continue;
    if (wrong++ == 0) first = i;
  }
  if (static_cast<double>(wrong) <= test.tolerance.share * static_cast<double>(count(spec))) return "";
  return fmt::format("{}: {} values of {} differ between {} and {}; the first is {}[{}]: {} and {}", test.name, wrong,
                     spec.name, one.name(), other.name(), spec.name, first, value_at(spec, left, first),
                     value_at(spec, right, first));
}

}  // namespace

std::string difference(const Case& test, Contender& one, Contender& other) {
  for (std::size_t i = 0; i < test.arrays.size(); ++i) {
    const Role role = test.arrays[i].role;
    if (role != Role::output && role != Role::changed) continue;
    if (std::string found = array_difference(test, i, one, other); !found.empty()) return found;
  }
  return "";
}

}  // namespace heddle::bench
