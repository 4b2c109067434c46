#include "ptx/semantics/integer.hpp"

#include <algorithm>
#include <bit>

#include "heddle/error.hpp"

namespace heddle::ptx::semantics {
namespace {

std::uint64_t low_mask(unsigned width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }
std::uint64_t sign_extend(std::uint64_t bits, unsigned width) {
  if (width >= 64) return bits;
  const unsigned unused = 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}
std::uint64_t finish(Type type, s128 value, bool sat) {
  return sat ? clamp_to(type, value) : truncate(type, static_cast<std::uint64_t>(value));
}
// The product of two values of up to 64 bits fits 128 bits in two's complement.
u128 full_product(Type type, std::uint64_t a, std::uint64_t b) {
  if (is_signed(type)) return static_cast<u128>(integer_value(type, a) * integer_value(type, b));
  return static_cast<u128>(truncate(type, a)) * truncate(type, b);
}
std::int64_t signed24(std::uint64_t a) { return static_cast<std::int64_t>(sign_extend(a, 24)); }

}  // namespace

std::uint64_t integer_add(Type type, std::uint64_t a, std::uint64_t b, bool sat) {
  return finish(type, integer_value(type, a) + integer_value(type, b), sat);
}

std::uint64_t integer_sub(Type type, std::uint64_t a, std::uint64_t b, bool sat) {
  return finish(type, integer_value(type, a) - integer_value(type, b), sat);
}

std::uint64_t add_with_carry(Type type, std::uint64_t a, std::uint64_t b, bool carry_in, bool& carry_out) {
  const u128 sum = static_cast<u128>(truncate(type, a)) + truncate(type, b) + (carry_in ? 1 : 0);
  carry_out = (sum >> bit_width(type)) != 0;
  return truncate(type, static_cast<std::uint64_t>(sum));
}

std::uint64_t sub_with_borrow(Type type, std::uint64_t a, std::uint64_t b, bool borrow_in, bool& borrow_out) {
  const s128 difference =
      static_cast<s128>(truncate(type, a)) - static_cast<s128>(truncate(type, b)) - (borrow_in ? 1 : 0);
  borrow_out = difference < 0;
  return truncate(type, static_cast<std::uint64_t>(difference));
}

std::uint64_t integer_mul(Type type, Half half, std::uint64_t a, std::uint64_t b) {
  const u128 product = full_product(type, a, b);
  const unsigned width = bit_width(type);
  if (half == Half::hi) return truncate(type, static_cast<std::uint64_t>(product >> width));
  if (half == Half::wide) return static_cast<std::uint64_t>(product) & low_mask(2 * width);
  return truncate(type, static_cast<std::uint64_t>(product));
}

std::uint64_t integer_mad(Type type, Half half, std::uint64_t a, std::uint64_t b, std::uint64_t c, bool sat) {
  const std::uint64_t product = integer_mul(type, half, a, b);
  if (half == Half::wide) return (product + c) & low_mask(2 * bit_width(type));
  return integer_add(type, product, c, sat);
}

std::uint64_t integer_mul24(Type type, Half half, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t product =
      is_signed(type) ? static_cast<std::uint64_t>(signed24(a) * signed24(b)) : (a & low_mask(24)) * (b & low_mask(24));
  return (half == Half::hi ? product >> 16 : product) & low_mask(32);
}

std::uint64_t integer_mad24(Type type, Half half, std::uint64_t a, std::uint64_t b, std::uint64_t c, bool sat) {
  return integer_add(type, integer_mul24(type, half, a, b), c, sat);
}

std::uint64_t integer_sad(Type type, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const s128 difference = integer_value(type, a) - integer_value(type, b);
  return truncate(type, static_cast<std::uint64_t>((difference < 0 ? -difference : difference)) + c);
}

std::uint64_t integer_div(Type type, std::uint64_t a, std::uint64_t b) {
  const s128 divisor = integer_value(type, b);
  if (divisor == 0) return truncate(type, ~std::uint64_t{0});
  return finish(type, integer_value(type, a) / divisor, false);
}

std::uint64_t integer_rem(Type type, std::uint64_t a, std::uint64_t b) {
  const s128 divisor = integer_value(type, b);
  if (divisor == 0) return truncate(type, ~std::uint64_t{0});
  return finish(type, integer_value(type, a) % divisor, false);
}

std::uint64_t integer_abs(Type type, std::uint64_t a) {
  const s128 value = integer_value(type, a);
  return finish(type, value < 0 ? -value : value, false);
}

std::uint64_t integer_neg(Type type, std::uint64_t a) { return truncate(type, std::uint64_t{0} - a); }

std::uint64_t integer_min_of(Type type, std::uint64_t a, std::uint64_t b) {
  return truncate(type, integer_value(type, a) < integer_value(type, b) ? a : b);
}

std::uint64_t integer_max_of(Type type, std::uint64_t a, std::uint64_t b) {
  return truncate(type, integer_value(type, a) > integer_value(type, b) ? a : b);
}

bool integer_compare(Type type, Compare compare, std::uint64_t a, std::uint64_t b) {
  const s128 left = integer_value(type, a), right = integer_value(type, b);
  switch (compare) {
    case Compare::eq: return left == right;
    case Compare::ne: return left != right;
    case Compare::lt:
    case Compare::lo: return left < right;
    case Compare::le:
    case Compare::ls: return left <= right;
    case Compare::gt:
    case Compare::hi: return left > right;
    case Compare::ge:
    case Compare::hs: return left >= right;
    default: throw Error(ErrorCode::internal, "not an integer comparison");
  }
}

std::uint64_t shift_left(Type type, std::uint64_t a, std::uint32_t amount) {
  return amount >= bit_width(type) ? 0 : truncate(type, a << amount);
}

std::uint64_t shift_right(Type type, std::uint64_t a, std::uint32_t amount) {
  amount = std::min(amount, bit_width(type));
  return truncate(type, static_cast<std::uint64_t>(integer_value(type, a) >> amount));
}

std::uint32_t funnel_shift(bool left, bool wrap, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t amount = wrap ? c & 31 : std::min(c, 32u);
  const u128 pair = (static_cast<u128>(b) << 32) | a;
  return static_cast<std::uint32_t>(left ? (pair << amount) >> 32 : pair >> amount);
}

std::uint64_t population_count(Type type, std::uint64_t a) {
  return static_cast<std::uint64_t>(std::popcount(truncate(type, a)));
}

std::uint64_t leading_zeros(Type type, std::uint64_t a) {
  return static_cast<std::uint64_t>(std::countl_zero(truncate(type, a))) - (64 - bit_width(type));
}

std::uint64_t bit_reverse(Type type, std::uint64_t a) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bit_width(type); ++i) result |= ((a >> i) & 1) << (bit_width(type) - 1 - i);
  return result;
}

std::uint32_t find_bit(Type type, std::uint64_t a, bool shift_amount) {
  std::uint64_t bits = extend(type, a);
  if (is_signed(type) && static_cast<std::int64_t>(bits) < 0) bits = ~bits;
  bits = truncate(type, bits);
  if (bits == 0) return ~0u;
  const std::uint32_t place = 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
  return shift_amount ? bit_width(type) - 1 - place : place;
}

std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  if (base > 31) return ~0u;
  const auto set = [&](int i) { return (mask >> i) & 1; };
  if (n == 0) return set(static_cast<int>(base)) ? base : ~0u;
  const int step = n > 0 ? 1 : -1;
  std::int64_t wanted = n > 0 ? std::int64_t{n} : -std::int64_t{n};
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if (set(i) && --wanted == 0) return static_cast<std::uint32_t>(i);
  return ~0u;
}

std::uint64_t bit_field_extract(Type type, std::uint64_t a, std::uint32_t position, std::uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  const unsigned top = bit_width(type) - 1;
  const auto bit = [&](unsigned i) { return (a >> i) & 1; };
  std::uint64_t fill = 0;
  if (is_signed(type) && length != 0) fill = bit(std::min(position + length - 1, top));
  std::uint64_t result = 0;
  for (unsigned i = 0; i <= top; ++i) result |= (i < length && position + i <= top ? bit(position + i) : fill) << i;
  return result;
}

std::uint64_t bit_field_insert(Type type, std::uint64_t a, std::uint64_t b, std::uint32_t position,
                               std::uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  std::uint64_t result = truncate(type, b);
  for (unsigned i = 0; i < length && position + i < bit_width(type); ++i) {
    const std::uint64_t mask = std::uint64_t{1} << (position + i);
    result = (result & ~mask) | (((a >> i) & 1) << (position + i));
  }
  return result;
}

std::uint32_t bit_mask(bool wrap, std::uint32_t position, std::uint32_t width) {
  position = wrap ? position & 31 : std::min(position, 32u);
  width = wrap ? width & 31 : std::min(width, 32u);
  return static_cast<std::uint32_t>(low_mask(width) << position);
}

std::uint32_t size_extend(bool wrap, bool is_signed_type, std::uint32_t a, std::uint32_t width) {
  width = wrap ? width & 31 : std::min(width, 32u);
  if (width == 0) return 0;
  const std::uint64_t bits = a & low_mask(width);
  return static_cast<std::uint32_t>(is_signed_type ? sign_extend(bits, width) : bits);
}

namespace {

// Selector nibbles of prmt's special modes, by the low two bits of the third operand, lowest byte first.
struct PermuteRow {
  Modifier mode;
  std::uint16_t nibbles[4];
};
constexpr PermuteRow permute_table[] = {
    {Modifier::f4e, {0x3210, 0x4321, 0x5432, 0x6543}}, {Modifier::b4e, {0x5670, 0x6701, 0x7012, 0x0123}},
    {Modifier::rc8, {0x0000, 0x1111, 0x2222, 0x3333}}, {Modifier::ecl, {0x3210, 0x3211, 0x3222, 0x3333}},
    {Modifier::ecr, {0x0000, 0x1110, 0x2210, 0x3210}}, {Modifier::rc16, {0x1010, 0x3232, 0x1010, 0x3232}},
};

}  // namespace

std::uint32_t permute(Modifier mode, std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  for (const PermuteRow& row : permute_table)
    if (row.mode == mode) selector = row.nibbles[selector & 3];
  const std::uint64_t pool = (std::uint64_t{b} << 32) | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = (selector >> (4 * i)) & 0xf;
    std::uint32_t byte = static_cast<std::uint32_t>(pool >> (8 * (nibble & 7))) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;  // the sign, replicated
    result |= byte << (8 * i);
  }
  return result;
}

std::uint64_t logic3(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint8_t table) {
  std::uint64_t result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if (!((table >> row) & 1)) continue;
    result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}

namespace {

std::uint32_t part(std::uint32_t value, unsigned index, unsigned width, bool is_signed_part) {
  const std::uint64_t bits = (value >> (index * width)) & low_mask(width);
  return static_cast<std::uint32_t>(is_signed_part ? sign_extend(bits, width) : bits);
}

}  // namespace

std::uint32_t dot4(bool a_signed, bool b_signed, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 4; ++i) c += part(a, i, 8, a_signed) * part(b, i, 8, b_signed);
  return c;
}

std::uint32_t dot2(bool a_signed, bool b_signed, bool high, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned first = high ? 2 : 0;
  for (unsigned i = 0; i < 2; ++i) c += part(a, i, 16, a_signed) * part(b, first + i, 8, b_signed);
  return c;
}

}  // namespace heddle::ptx::semantics
