// Integer and bit instructions. Operands and results are the low bits of 64-bit words; results are truncated to the
// type.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"
#include "ptx/semantics/convert.hpp"

namespace heddle::ptx::semantics {

std::uint64_t integer_add(Type type, std::uint64_t a, std::uint64_t b, bool sat);
std::uint64_t integer_sub(Type type, std::uint64_t a, std::uint64_t b, bool sat);
// a + b + carry of 32 or 64 bits; `carry` becomes the carry out.
std::uint64_t add_with_carry(Type type, std::uint64_t a, std::uint64_t b, bool carry_in, bool& carry_out);
// a - b - borrow; the condition code holds the borrow, as PTX defines it.
std::uint64_t sub_with_borrow(Type type, std::uint64_t a, std::uint64_t b, bool borrow_in, bool& borrow_out);
// lo, hi or wide product; wide has twice the type's width.
std::uint64_t integer_mul(Type type, Half half, std::uint64_t a, std::uint64_t b);
// mad: product plus c; `sat` is mad.hi.sat.s32.
std::uint64_t integer_mad(Type type, Half half, std::uint64_t a, std::uint64_t b, std::uint64_t c, bool sat);
// mul24.lo: bits 31..0, mul24.hi: bits 47..16 of the 48-bit product of the low 24 bits.
std::uint64_t integer_mul24(Type type, Half half, std::uint64_t a, std::uint64_t b);
std::uint64_t integer_mad24(Type type, Half half, std::uint64_t a, std::uint64_t b, std::uint64_t c, bool sat);
std::uint64_t integer_sad(Type type, std::uint64_t a, std::uint64_t b, std::uint64_t c);
// Division by zero gives all ones, and so does the remainder, as on NVIDIA GPUs. The least value by -1 wraps.
std::uint64_t integer_div(Type type, std::uint64_t a, std::uint64_t b);
std::uint64_t integer_rem(Type type, std::uint64_t a, std::uint64_t b);
std::uint64_t integer_abs(Type type, std::uint64_t a);
std::uint64_t integer_neg(Type type, std::uint64_t a);
std::uint64_t integer_min_of(Type type, std::uint64_t a, std::uint64_t b);
std::uint64_t integer_max_of(Type type, std::uint64_t a, std::uint64_t b);
bool integer_compare(Type type, Compare compare, std::uint64_t a, std::uint64_t b);

// Shifts of more than the width give 0, or the sign for shr of a signed type.
std::uint64_t shift_left(Type type, std::uint64_t a, std::uint32_t amount);
std::uint64_t shift_right(Type type, std::uint64_t a, std::uint32_t amount);
// shf.l: the high 32 bits of {b, a} << c; shf.r: the low 32 bits of {b, a} >> c. c is clamped to 32 or taken modulo 32.
std::uint32_t funnel_shift(bool left, bool wrap, std::uint32_t a, std::uint32_t b, std::uint32_t c);

std::uint64_t population_count(Type type, std::uint64_t a);
std::uint64_t leading_zeros(Type type, std::uint64_t a);
std::uint64_t bit_reverse(Type type, std::uint64_t a);
// bfind: place of the most significant non-sign bit, 0xffffffff if none; with shiftamt the distance from the top.
std::uint32_t find_bit(Type type, std::uint64_t a, bool shift_amount);
// fns: the place of the n-th set bit from `base`, counting upward for n > 0, downward for n < 0; n == 0 asks for base
// itself.
std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t n);
std::uint64_t bit_field_extract(Type type, std::uint64_t a, std::uint32_t position, std::uint32_t length);
std::uint64_t bit_field_insert(Type type, std::uint64_t a, std::uint64_t b, std::uint32_t position,
                               std::uint32_t length);
// bmsk: `width` ones from `position` on; with wrap both are taken modulo 32, else clamped.
std::uint32_t bit_mask(bool wrap, std::uint32_t position, std::uint32_t width);
// szext: a's low `width` bits, sign- or zero-extended.
std::uint32_t size_extend(bool wrap, bool is_signed_type, std::uint32_t a, std::uint32_t width);
// prmt: mode none is the general form with four selector nibbles.
std::uint32_t permute(Modifier mode, std::uint32_t a, std::uint32_t b, std::uint32_t selector);
std::uint64_t logic3(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint8_t table);
std::uint32_t dot4(bool a_signed, bool b_signed, std::uint32_t a, std::uint32_t b, std::uint32_t c);
std::uint32_t dot2(bool a_signed, bool b_signed, bool high, std::uint32_t a, std::uint32_t b, std::uint32_t c);

}  // namespace heddle::ptx::semantics
