#include "ptx/selector.hpp"

#include <cstddef>

namespace heddle::ptx {
namespace {

// Selectors with several digits, by letter and number of digits. Digits pick halves of two registers (0 to 3) or bytes
// of two registers (0 to 7), and are the digits of a number added to `first`.
struct Family {
  char letter;
  std::size_t digits;
  unsigned base;
  unsigned first;
};
constexpr Family families[] = {
    {'b', 1, 4, 1}, {'h', 1, 2, 5}, {'h', 2, 4, 7}, {'b', 2, 8, 100}, {'b', 3, 8, 200}, {'b', 4, 8, 1000},
};

constexpr unsigned power(unsigned base, std::size_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

}  // namespace

std::uint16_t selector_from_name(std::string_view name) {
  if (name.empty()) return 0;
  for (const Family& family : families) {
    if (name[0] != family.letter || name.size() != family.digits + 1) continue;
    unsigned value = 0;
    for (char c : name.substr(1)) {
      if (c < '0' || static_cast<unsigned>(c - '0') >= family.base) return 0;
      value = value * family.base + static_cast<unsigned>(c - '0');
    }
    return static_cast<std::uint16_t>(family.first + value);
  }
  return 0;
}

std::string selector_name(std::uint16_t selector) {
  for (const Family& family : families) {
    if (selector < family.first || selector >= family.first + power(family.base, family.digits)) continue;
    std::string digits(family.digits, '0');
    unsigned value = selector - family.first;
    for (std::size_t i = family.digits; i-- > 0; value /= family.base)
      digits[i] = static_cast<char>('0' + value % family.base);
    return family.letter + digits;
  }
  return {};
}

}  // namespace heddle::ptx
