// Bounds of integer values. A register of w bits holds a residue modulo 2^w; an interval [low, high] says that the
// residue is that of some integer in it. An interval of 2^w or more integers says nothing and is kept as `full`.
#pragma once

#include <cstdint>

namespace heddle::ptx::analysis {

struct Interval {
  std::int64_t low = 0, high = -1;
  bool full = true;

  static Interval any() { return {}; }
  static Interval exactly(std::int64_t value) { return {value, value, false}; }
  // In canonical form, or `full`, for registers of `width` bits.
  static Interval of(__int128 low, __int128 high, unsigned width);

  bool constant() const { return !full && low == high; }
  bool within(std::int64_t a, std::int64_t b) const { return !full && low >= a && high <= b; }
  // The same residues as unsigned or as signed integers of `width` bits; full (of any()) when they wrap around its end.
  Interval as_unsigned(unsigned width) const;
  Interval as_signed(unsigned width) const;
  // Integers in the interval less one; -1 when full.
  std::int64_t span() const { return full ? -1 : high - low; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// The smallest interval that holds both.
Interval join(const Interval& a, const Interval& b, unsigned width);

Interval add(const Interval& a, const Interval& b, unsigned width);
Interval subtract(const Interval& a, const Interval& b, unsigned width);
Interval multiply(const Interval& a, const Interval& b, unsigned width);
// Of values taken as unsigned (or signed) integers of `width` bits.
Interval shift_right(const Interval& a, unsigned count, bool is_signed, unsigned width);
Interval bit_and(const Interval& a, const Interval& b, unsigned width);
Interval bit_or(const Interval& a, const Interval& b, unsigned width);  // also of exclusive or
Interval divide(const Interval& a, const Interval& b, bool is_signed, unsigned width);
Interval remainder(const Interval& a, const Interval& b, bool is_signed, unsigned width);
Interval minimum(const Interval& a, const Interval& b, bool is_signed, unsigned width);
Interval maximum(const Interval& a, const Interval& b, bool is_signed, unsigned width);

// The integers that `width` bits hold, for widths below 64; full otherwise.
Interval all_of(bool is_signed, unsigned width);

}  // namespace heddle::ptx::analysis
