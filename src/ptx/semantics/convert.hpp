// cvt: between all integer and floating-point types, in bits.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/semantics/float_format.hpp"

namespace heddle::ptx::semantics {

// Sign- or zero-extends the low bit_width(type) bits to 64. Bits of floating and untyped values are zero-extended.
std::uint64_t extend(Type type, std::uint64_t bits);
// The low bit_width(type) bits.
std::uint64_t truncate(Type type, std::uint64_t bits);
// The value of the low bits of an integer type.
s128 integer_value(Type type, std::uint64_t bits);
s128 integer_min(Type type);
s128 integer_max(Type type);
// Clamps to the range of the type; the result is its bit pattern.
std::uint64_t clamp_to(Type type, s128 value);

// One value of an unpacked type to another (`from` and `to` may be any integer type of 2 to 64 bits, f16, bf16, tf32,
// f32, f64, e4m3, e5m2, e3m2, e2m3, e2m1 or ue8m0). tf32 values have the layout of f32.
//
// Integer to integer: the low bits, or clamped when mode.sat. Float to integer: rounded by mode.rounding (toward zero
// unless given), clamped to the range; NaN gives 0, but 2^(bits-1) when the source is f64 or the destination has 64
// bits. Integer to float and float to float: rounded once; float to the same type with an integer rounding mode (rni
// ...) gives a whole number. mode.ftz concerns f32 values only, as in PTX.
std::uint64_t convert(Type to, Type from, std::uint64_t bits, const FloatMode& mode);

// Stochastic rounding (cvt.rs): adds `random_bits` below the last place and cuts. `random_width` bits of it count.
std::uint64_t convert_stochastic(Type to, std::uint64_t f32_bits, std::uint32_t random_bits, unsigned random_width,
                                 const FloatMode& mode);

// cvt.pack.sat: a and b are s32; u16 or s16 give {a, b}, narrower types put them above b's place and shift c left.
std::uint32_t convert_pack(unsigned to_width, bool to_signed, std::int32_t a, std::int32_t b, std::uint32_t c);

}  // namespace heddle::ptx::semantics
