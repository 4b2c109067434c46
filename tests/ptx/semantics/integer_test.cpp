// Integer and bit operations against the PTX ISA's pseudo-code written another way, and against worked values.
#include "ptx/semantics/integer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle::ptx::semantics::test {
namespace {

constexpr Type types[] = {Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64};

std::vector<std::uint64_t> values(Type type) {
  std::vector<std::uint64_t> result;
  std::mt19937_64 random(5);
  const unsigned width = bit_width(type);
  for (std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << (width - 1), std::uint64_t{1} << (width / 2)})
    for (std::int64_t d = -3; d <= 3; ++d) result.push_back(truncate(type, base + static_cast<std::uint64_t>(d)));
  for (int i = 0; i < 60; ++i) result.push_back(truncate(type, random() >> (random() % 64)));
  return result;
}

TEST(Integer, ProductsAgreeWithSchoolMultiplication) {
  for (Type type : types)
    for (std::uint64_t a : values(type))
      for (std::uint64_t b : values(type)) {
        // Halves of half width, unsigned; then the correction for signed operands.
        const unsigned width = bit_width(type);
        u128 product = 0;
        for (unsigned i = 0; i < width; ++i)
          if ((b >> i) & 1) product += static_cast<u128>(a) << i;
        u128 high = product >> width;
        if (is_signed(type)) {
          if ((a >> (width - 1)) & 1) high -= b;
          if ((b >> (width - 1)) & 1) high -= a;
        }
        ASSERT_EQ(integer_mul(type, Half::lo, a, b), truncate(type, static_cast<std::uint64_t>(product)));
        ASSERT_EQ(integer_mul(type, Half::hi, a, b), truncate(type, static_cast<std::uint64_t>(high)));
        if (width <= 32) {
          const std::uint64_t wide = (truncate(type, static_cast<std::uint64_t>(high)) << width) |
                                     truncate(type, static_cast<std::uint64_t>(product));
          ASSERT_EQ(integer_mul(type, Half::wide, a, b), wide);
        }
      }
}

TEST(Integer, QuotientAndRemainderMakeTheDividend) {
  for (Type type : types)
    for (std::uint64_t a : values(type))
      for (std::uint64_t b : values(type)) {
        const std::uint64_t q = integer_div(type, a, b), r = integer_rem(type, a, b);
        if (b == 0) {
          EXPECT_EQ(q, truncate(type, ~std::uint64_t{0}));
          continue;
        }
        EXPECT_EQ(truncate(type, q * b + r), a);
        const auto magnitude = [&](std::uint64_t v) {
          const s128 x = integer_value(type, v);
          return x < 0 ? -x : x;
        };
        EXPECT_TRUE(magnitude(r) < magnitude(b));
        if (r != 0 && is_signed(type)) {
          EXPECT_EQ(integer_value(type, r) < 0, integer_value(type, a) < 0);
        }
      }
  EXPECT_EQ(integer_div(Type::s32, 0x80000000, 0xffffffff), 0x80000000u);
  EXPECT_EQ(integer_rem(Type::s32, 0x80000000, 0xffffffff), 0u);
}

TEST(Integer, CarryChainsAddAndSubtractWideNumbers) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const u128 a = (static_cast<u128>(random()) << 64) | random(), b = (static_cast<u128>(random()) << 64) | random();
    for (Type type : {Type::u32, Type::u64}) {
      const unsigned width = bit_width(type);
      u128 sum = 0, difference = 0;
      bool carry = false, borrow = false;
      for (unsigned at = 0; at < 128; at += width) {
        bool out = false;
        const auto limb_a = static_cast<std::uint64_t>(a >> at), limb_b = static_cast<std::uint64_t>(b >> at);
        sum |= static_cast<u128>(add_with_carry(type, limb_a, limb_b, carry, out)) << at;
        carry = out;
        difference |= static_cast<u128>(sub_with_borrow(type, limb_a, limb_b, borrow, out)) << at;
        borrow = out;
      }
      ASSERT_TRUE(sum == a + b);
      ASSERT_EQ(carry, a + b < a);
      ASSERT_TRUE(difference == a - b);
      ASSERT_EQ(borrow, a < b);
    }
  }
}

TEST(Integer, Saturation) {
  EXPECT_EQ(integer_add(Type::s32, 0x7fffffff, 1, true), 0x7fffffffu);
  EXPECT_EQ(integer_add(Type::s32, 0x80000000, 0xffffffff, true), 0x80000000u);
  EXPECT_EQ(integer_sub(Type::s32, 0x80000000, 1, true), 0x80000000u);
  EXPECT_EQ(integer_add(Type::s32, 0x7fffffff, 1, false), 0x80000000u);
  EXPECT_EQ(integer_mad(Type::s32, Half::hi, 0x7fffffff, 0x7fffffff, 0x7fffffff, true), 0x7fffffffu);
}

TEST(Integer, TwentyFourBitProducts) {
  EXPECT_EQ(integer_mul24(Type::u32, Half::lo, 0xff000003, 5), 15u);
  EXPECT_EQ(integer_mul24(Type::u32, Half::hi, 0xffffff, 0xffffff), 0xfffffe00u);
  EXPECT_EQ(integer_mul24(Type::s32, Half::lo, 0x00ffffff, 7), 0xfffffff9u);
  EXPECT_EQ(integer_mul24(Type::s32, Half::hi, 0x00800000, 0x00800000), 0x40000000u);
}

TEST(Integer, ShiftsPastTheWidth) {
  EXPECT_EQ(shift_left(Type::b32, 1, 31), 0x80000000u);
  EXPECT_EQ(shift_left(Type::b32, 1, 32), 0u);
  EXPECT_EQ(shift_left(Type::b64, 1, 4000000000u), 0u);
  EXPECT_EQ(shift_right(Type::s32, 0x80000000, 99), 0xffffffffu);
  EXPECT_EQ(shift_right(Type::u32, 0x80000000, 32), 0u);
  EXPECT_EQ(shift_right(Type::s16, 0x8000, 3), 0xf000u);
  EXPECT_EQ(funnel_shift(true, false, 0x12345678, 0x9abcdef0, 8), 0xbcdef012u);
  EXPECT_EQ(funnel_shift(true, false, 0x12345678, 0x9abcdef0, 40), 0x12345678u);
  EXPECT_EQ(funnel_shift(true, true, 0x12345678, 0x9abcdef0, 40), 0xbcdef012u);
  EXPECT_EQ(funnel_shift(false, false, 0x12345678, 0x9abcdef0, 8), 0xf0123456u);
  EXPECT_EQ(funnel_shift(false, false, 0x12345678, 0x9abcdef0, 33), 0x9abcdef0u);
}

TEST(Integer, BitFields) {
  EXPECT_EQ(bit_field_extract(Type::u32, 0xabcd1234, 8, 12), 0xd12u);
  EXPECT_EQ(bit_field_extract(Type::s32, 0xabcd1234, 8, 12), 0xfffffd12u);
  EXPECT_EQ(bit_field_extract(Type::u32, 0xabcd1234, 24, 100), 0xabu);
  EXPECT_EQ(bit_field_extract(Type::s32, 0xabcd1234, 24, 100), 0xffffffabu);
  EXPECT_EQ(bit_field_extract(Type::s32, 0x80000000, 40, 4), 0xffffffffu);
  EXPECT_EQ(bit_field_extract(Type::u32, 0xffffffff, 3, 0), 0u);
  EXPECT_EQ(bit_field_extract(Type::u32, 0xffffffff, 256, 4), 0xfu);  // only 8 bits of the position count
  EXPECT_EQ(bit_field_insert(Type::b32, 0xff, 0, 4, 8), 0xff0u);
  EXPECT_EQ(bit_field_insert(Type::b32, 0xff, 0x12345678, 28, 8), 0xf2345678u);
  EXPECT_EQ(bit_field_insert(Type::b64, 0x5, 0, 60, 3), 0x5000000000000000u);
  EXPECT_EQ(bit_field_insert(Type::b32, 0xff, 0x12345678, 32, 8), 0x12345678u);
}

TEST(Integer, FindingBits) {
  EXPECT_EQ(find_bit(Type::u32, 0x00010000, false), 16u);
  EXPECT_EQ(find_bit(Type::u32, 0x00010000, true), 15u);
  EXPECT_EQ(find_bit(Type::s32, 0xffff0000, false), 15u);
  EXPECT_EQ(find_bit(Type::s32, 0xffffffff, false), 0xffffffffu);
  EXPECT_EQ(find_bit(Type::u64, std::uint64_t{1} << 40, true), 23u);
  EXPECT_EQ(leading_zeros(Type::b32, 0), 32u);
  EXPECT_EQ(leading_zeros(Type::b64, 1), 63u);
  EXPECT_EQ(bit_reverse(Type::b32, 0x00000001), 0x80000000u);
  EXPECT_EQ(population_count(Type::b64, 0xf0f0f0f0f0f0f0f0), 32u);
  EXPECT_EQ(find_nth_set(0xaaaaaaaa, 0, 1), 1u);
  EXPECT_EQ(find_nth_set(0xaaaaaaaa, 3, 2), 5u);
  EXPECT_EQ(find_nth_set(0xaaaaaaaa, 8, -2), 5u);
  EXPECT_EQ(find_nth_set(0xaaaaaaaa, 3, 0), 3u);
  EXPECT_EQ(find_nth_set(0xaaaaaaaa, 2, 0), 0xffffffffu);
  EXPECT_EQ(find_nth_set(0x1, 0, 2), 0xffffffffu);
}

TEST(Integer, MasksAndExtensions) {
  EXPECT_EQ(bit_mask(false, 4, 8), 0xff0u);
  EXPECT_EQ(bit_mask(false, 0, 32), 0xffffffffu);
  EXPECT_EQ(bit_mask(false, 33, 4), 0u);
  EXPECT_EQ(bit_mask(true, 36, 33), 0x10u);
  EXPECT_EQ(size_extend(false, true, 0x1ff, 8), 0xffffffffu);
  EXPECT_EQ(size_extend(false, false, 0x1ff, 8), 0xffu);
  EXPECT_EQ(size_extend(false, true, 0x80000001, 50), 0x80000001u);
  EXPECT_EQ(size_extend(true, true, 0xff, 32), 0u);
}

TEST(Integer, Permutations) {
  EXPECT_EQ(permute(Modifier::none, 0x33221100, 0x77665544, 0x7531), 0x77553311u);
  EXPECT_EQ(permute(Modifier::none, 0x33228100, 0x77665544, 0xf9), 0xffu);
  EXPECT_EQ(permute(Modifier::none, 0x00008000, 0, 0x9999), 0xffffffffu);
  EXPECT_EQ(permute(Modifier::f4e, 0x33221100, 0x77665544, 1), 0x44332211u);
  EXPECT_EQ(permute(Modifier::b4e, 0x33221100, 0x77665544, 1), 0x66770011u);
  EXPECT_EQ(permute(Modifier::rc8, 0x33221100, 0x77665544, 2), 0x22222222u);
  EXPECT_EQ(permute(Modifier::ecl, 0x33221100, 0x77665544, 1), 0x33221111u);
  EXPECT_EQ(permute(Modifier::ecr, 0x33221100, 0x77665544, 2), 0x22221100u);
  EXPECT_EQ(permute(Modifier::rc16, 0x33221100, 0x77665544, 1), 0x33223322u);
}

TEST(Integer, LogicTableCoversEveryFunction) {
  const std::uint64_t a = 0xf0, b = 0xcc, c = 0xaa;
  for (unsigned table = 0; table < 256; ++table) {
    EXPECT_EQ(logic3(a, b, c, static_cast<std::uint8_t>(table)) & 0xff, table);  // the ISA's own recipe for the table
  }
}

TEST(Integer, DotProducts) {
  EXPECT_EQ(dot4(false, false, 0x01020304, 0x05060708, 10), 10u + 5 + 12 + 21 + 32);
  EXPECT_EQ(dot4(true, true, 0xff000000, 0x02000000, 0), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(dot4(false, true, 0xff, 0xff, 0), static_cast<std::uint32_t>(-255));
  EXPECT_EQ(dot2(true, true, false, 0xffff0003, 0x00000504, 1), static_cast<std::uint32_t>(12 - 5 + 1));
  EXPECT_EQ(dot2(true, true, true, 0xffff0003, 0x05040000, 1), static_cast<std::uint32_t>(12 - 5 + 1));
  EXPECT_EQ(integer_sad(Type::u32, 3, 10, 100), 107u);
  EXPECT_EQ(integer_sad(Type::s32, static_cast<std::uint32_t>(-3), 10, 100), 113u);
}

}  // namespace
}  // namespace heddle::ptx::semantics::test
