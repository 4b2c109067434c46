#include "ptx/analysis/lanes/interval.hpp"

#include <algorithm>
#include <bit>

namespace heddle::ptx::analysis {
namespace {

using Wide = __int128;

Wide modulus(unsigned width) { return Wide{1} << width; }

bool fits(Wide low, Wide high) { return low >= INT64_MIN && high <= INT64_MAX; }

// Applies f to intervals of proper integers; without bounds of an operand its whole range is taken.
Interval proper(const Interval& a, bool is_signed, unsigned width) {
  const Interval result = is_signed ? a.as_signed(width) : a.as_unsigned(width);
  return result.full ? all_of(is_signed, width) : result;
}

std::int64_t ones_up_to(std::int64_t value) {
  return static_cast<std::int64_t>((std::uint64_t{1} << std::bit_width(static_cast<std::uint64_t>(value))) - 1);
}

}  // namespace

Interval Interval::of(Wide low, Wide high, unsigned width) {
  if (high - low >= modulus(width) - 1) return any();
  // Into the range of unsigned values when that is possible, else around zero.
  const Wide m = modulus(width), half = m / 2;
  const Wide turns = low >= m ? -(low / m) : high < -half ? (-half - high + m - 1) / m : 0;
  low += turns * m;
  high += turns * m;
  return fits(low, high) ? Interval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), false} : any();
}

Interval all_of(bool is_signed, unsigned width) {
  if (width >= 64) return Interval::any();
  const std::int64_t half = std::int64_t{1} << (width - 1);
  return is_signed ? Interval{-half, half - 1, false} : Interval{0, 2 * half - 1, false};
}

Interval Interval::as_unsigned(unsigned width) const {
  if (full) return any();
  const Wide m = modulus(width);
  if (low >= 0) return Wide{high} < m ? *this : any();
  if (high >= 0 || width >= 64 || low < -m) return any();
  return {static_cast<std::int64_t>(low + m), static_cast<std::int64_t>(high + m), false};
}

Interval Interval::as_signed(unsigned width) const {
  if (full) return any();
  const Wide m = modulus(width), half = m / 2;
  if (low >= -half && high < half) return *this;
  if (low < half || high >= m) return any();
  return {static_cast<std::int64_t>(low - m), static_cast<std::int64_t>(high - m), false};
}

Interval join(const Interval& a, const Interval& b, unsigned width) {
  if (a.full || b.full) return Interval::any();
  return Interval::of(std::min(a.low, b.low), std::max(a.high, b.high), width);
}

Interval add(const Interval& a, const Interval& b, unsigned width) {
  if (a.full || b.full) return Interval::any();
  return Interval::of(Wide{a.low} + b.low, Wide{a.high} + b.high, width);
}

Interval subtract(const Interval& a, const Interval& b, unsigned width) {
  if (a.full || b.full) return Interval::any();
  return Interval::of(Wide{a.low} - b.high, Wide{a.high} - b.low, width);
}

Interval multiply(const Interval& a, const Interval& b, unsigned width) {
  if (a.full || b.full) return Interval::any();
  const auto [low, high] =
      std::minmax({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high});
  // A product far outside would take long to bring into place, and says little.
  if (low < -modulus(width) * 4 || high > modulus(width) * 4) return Interval::any();
  return Interval::of(low, high, width);
}

Interval shift_right(const Interval& a, unsigned count, bool is_signed, unsigned width) {
  const Interval from = proper(a, is_signed, width);
  if (from.full || count >= 64) return Interval::any();
  return Interval::of(from.low >> count, from.high >> count, width);
}

Interval bit_and(const Interval& a, const Interval& b, unsigned width) {
  const Interval x = proper(a, false, width), y = proper(b, false, width);
  if (x.full && y.full) return Interval::any();
  if (x.full) return {0, y.high, false};
  return {0, y.full ? x.high : std::min(x.high, y.high), false};
}

Interval bit_or(const Interval& a, const Interval& b, unsigned width) {
  const Interval x = proper(a, false, width), y = proper(b, false, width);
  if (x.full || y.full) return Interval::any();
  return Interval::of(0, ones_up_to(std::max(x.high, y.high)), width);
}

Interval divide(const Interval& a, const Interval& b, bool is_signed, unsigned width) {
  const Interval x = proper(a, is_signed, width), y = proper(b, is_signed, width);
  // Division by zero gives an unspecified value, so the divisor must be known to be positive.
  if (x.full || y.full || y.low < 1) return Interval::any();
  return Interval::of(std::min(x.low / y.low, x.low / y.high), std::max(x.high / y.low, x.high / y.high), width);
}

Interval remainder(const Interval& a, const Interval& b, bool is_signed, unsigned width) {
  const Interval x = proper(a, is_signed, width), y = proper(b, is_signed, width);
  if (y.full || y.low < 1) return Interval::any();
  const std::int64_t most = y.high - 1;
  if (x.full) return {is_signed ? -most : 0, most, false};
  return {x.low >= 0 ? 0 : -most, x.high < 0 ? 0 : std::min(most, x.high), false};
}

Interval minimum(const Interval& a, const Interval& b, bool is_signed, unsigned width) {
  const Interval x = proper(a, is_signed, width), y = proper(b, is_signed, width);
  if (x.full || y.full) return Interval::any();
  return Interval::of(std::min(x.low, y.low), std::min(x.high, y.high), width);
}

Interval maximum(const Interval& a, const Interval& b, bool is_signed, unsigned width) {
  const Interval x = proper(a, is_signed, width), y = proper(b, is_signed, width);
  if (x.full || y.full) return Interval::any();
  return Interval::of(std::max(x.low, y.low), std::max(x.high, y.high), width);
}

}  // namespace heddle::ptx::analysis
