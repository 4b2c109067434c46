// cvt. The conversions that programs use are inline; directed rounding without hardware help, the 8-bit and smaller
// formats and stochastic rounding are soft functions.
#include <cmath>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Modifier;
using ptx::Rounding;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

bool is_16_bit_float(Type type) { return type == Type::f16 || type == Type::bf16; }
bool is_wide_float(Type type) { return type == Type::f32 || type == Type::f64; }
bool is_nearest(Rounding rounding) { return rounding == Rounding::none || rounding == Rounding::rn; }
bool is_whole(Rounding rounding) {
  return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
         rounding == Rounding::rpi;
}
bool is_directed(Rounding rounding) {
  return rounding == Rounding::rz || rounding == Rounding::rm || rounding == Rounding::rp;
}

Value* soft_convert(Lowering& l, Type to, Type from, Value* value) {
  SoftCode code;
  code.opcode = ptx::Opcode::cvt;
  code.type = to;
  code.type2 = from;
  code.rounding = l.d.rounding;
  code.ftz = l.d.ftz;
  code.sat = l.d.sat;
  code.relu = l.d.relu;
  code.satfinite = l.d.satfinite;
  const auto memory_type = [&](Type type) {  // types narrower than a byte take a byte
    llvm::Type* scalar = carrier(l.b.getContext(), type, 0);
    return scalar->getPrimitiveSizeInBits() < 8 ? static_cast<llvm::Type*>(l.b.getInt8Ty()) : scalar;
  };
  value = l.cast(value, l.shaped(memory_type(from), value));
  Value* result = l.soft(SoftFunction::convert, code.packed(), l.shaped(memory_type(to), value), {value});
  return l.cast(result, l.shaped(carrier(l.b.getContext(), to, 0), value));
}

// Integer to integer: the low bits, or the nearest value of the type.
Value* integer_to_integer(Lowering& l, Type to, Type from, Value* value) {
  const unsigned to_width = ptx::bit_width(to), from_width = ptx::bit_width(from);
  const bool to_signed = ptx::is_signed(to), from_signed = ptx::is_signed(from);
  if (!l.d.sat) return l.resize(value, to_width, from_signed);
  if (from_signed) {
    if (!to_signed) {
      value = l.binary(Intrinsic::smax, value, Kit::number(value, 0));
      if (to_width < from_width)
        value = l.binary(Intrinsic::smin, value, Kit::number(value, (std::uint64_t{1} << to_width) - 1));
    } else if (to_width < from_width) {
      const std::int64_t limit = std::int64_t{1} << (to_width - 1);
      value = l.clamp_signed(value, -limit, limit - 1);
    }
  } else {
    const unsigned bits = to_width - (to_signed ? 1 : 0);
    if (bits < from_width) value = l.binary(Intrinsic::umin, value, Kit::number(value, (std::uint64_t{1} << bits) - 1));
  }
  return l.resize(value, to_width, from_signed);
}

// f32 or f64 to an integer, clamped. NaN gives 0, but 2^(width-1) when the source is f64 or the result has 64 bits.
// LLVM's own saturating conversion is scalar code on x86; this is a handful of vector instructions. The plain
// conversion is poison outside of the type's range, in lanes where a select then takes something else.
Value* float_to_integer(Lowering& l, Type to, Type from, Value* value) {
  llvm::IRBuilder<>& b = l.b;
  const unsigned width = ptx::bit_width(to);
  const bool is_signed = ptx::is_signed(to);
  if (l.d.rounding != Rounding::rzi && l.d.rounding != Rounding::none) value = l.to_whole(value, l.d.rounding);
  const unsigned magnitude_bits = is_signed ? width - 1 : width;
  const unsigned exact_bits = value->getType()->getScalarType()->isDoubleTy() ? 53 : 24;
  Value* low = Kit::real(value, is_signed ? -std::ldexp(1.0, static_cast<int>(width - 1)) : 0.0);
  Value* bounded = b.CreateSelect(b.CreateFCmpOGT(value, low), value, low);  // NaN becomes the lowest value
  const bool has_exact_limit = magnitude_bits <= exact_bits;
  const double beyond = std::ldexp(1.0, static_cast<int>(magnitude_bits));
  if (has_exact_limit) {
    Value* high = Kit::real(value, beyond - 1);
    bounded = b.CreateSelect(b.CreateFCmpOLT(bounded, high), bounded, high);
  }
  llvm::Type* type = l.int_type(std::max(width, 32u), value);
  Value* result = is_signed || width < 32 ? b.CreateFPToSI(bounded, type) : b.CreateFPToUI(bounded, type);
  if (!has_exact_limit) {
    Value* highest = Kit::number(result, is_signed ? ~std::uint64_t{0} >> (65 - width) : ~std::uint64_t{0});
    result = b.CreateSelect(b.CreateFCmpOGE(bounded, Kit::real(value, beyond)), highest, result);
  }
  result = l.resize(result, width, false);
  const std::uint64_t least = std::uint64_t{1} << (width - 1);
  const std::uint64_t of_nan = from == Type::f64 || width == 64 ? least : 0, of_low = is_signed ? least : 0;
  return of_nan == of_low ? result : b.CreateSelect(l.is_nan(value), Kit::number(result, of_nan), result);
}

unsigned embedded_rounding(Rounding rounding) {
  return rounding == Rounding::rm ? 9 : rounding == Rounding::rp ? 10 : rounding == Rounding::rz ? 11 : 8;
}

// Integer to f32 or f64.
Value* integer_to_float(Lowering& l, Type to, Type from, Value* value) {
  llvm::IRBuilder<>& b = l.b;
  const bool is_signed = ptx::is_signed(from);
  llvm::Type* scalar = carrier(b.getContext(), to, 0);
  llvm::Type* real = l.shaped(scalar, value);
  const unsigned exact_bits = to == Type::f64 ? 53 : 24;
  Value* result = nullptr;
  if (is_nearest(l.d.rounding) || ptx::bit_width(from) <= exact_bits) {
    result = is_signed ? b.CreateSIToFP(value, real) : b.CreateUIToFP(value, real);
  } else if (l.features.avx512) {
    const unsigned piece = to == Type::f64 || ptx::bit_width(from) == 64 ? 8 : 16;
    const auto id = is_signed ? Intrinsic::x86_avx512_sitofp_round : Intrinsic::x86_avx512_uitofp_round;
    result = l.in_pieces({value}, piece, [&](llvm::ArrayRef<Value*> pieces) {
      llvm::Type* to_type = l.shaped(scalar, pieces[0]);
      return l.call(id, {to_type, pieces[0]->getType()}, {pieces[0], b.getInt32(embedded_rounding(l.d.rounding))});
    });
  } else {
    return soft_convert(l, to, from, value);
  }
  return l.d.sat ? l.saturate(result) : result;
}

Value* narrow_to_f32(Lowering& l, Value* value) {
  llvm::IRBuilder<>& b = l.b;
  if (!is_directed(l.d.rounding)) return b.CreateFPTrunc(value, l.f32_type(value));
  if (!l.features.avx512) return nullptr;
  return l.in_pieces({value}, 8, [&](llvm::ArrayRef<Value*> pieces) {
    Value* none = llvm::Constant::getNullValue(l.f32_type(pieces[0]));
    return l.call(Intrinsic::x86_avx512_mask_cvtpd2ps_512, {},
                  {pieces[0], none, b.getInt8(0xff), b.getInt32(embedded_rounding(l.d.rounding))});
  });
}

// Between f32 and f64, or rounding either to a whole number.
Value* float_to_float(Lowering& l, Type to, Type from, Value* value) {
  llvm::IRBuilder<>& b = l.b;
  Value* result = value;
  if (to == from) {
    if (is_whole(l.d.rounding)) result = l.to_whole(value, l.d.rounding);
    // From a 16-bit format: as if f32 had been converted to itself with .ftz.
    if (to == Type::f32 && l.d.type2 == Type::bf16 && l.d.ftz) {
      result = l.flush(result, true);
      result = b.CreateSelect(l.is_nan(value), l.as_float(Kit::number(l.bits(value), 0x7fffffff)), result);
    }
  } else if (to == Type::f64) {
    if (l.d.ftz) value = b.CreateSelect(l.is_nan(value), l.as_float(Kit::number(l.bits(value), 0x7fffffff)), value);
    result = b.CreateFPExt(value, l.f64_type(value));
  } else {
    result = narrow_to_f32(l, value);
    if (!result) return soft_convert(l, to, from, value);
    Value* scale = Kit::real(value, std::ldexp(1.0, Kit::flush_scale));
    if (l.d.ftz) result = l.flush_by(result, narrow_to_f32(l, b.CreateFMul(value, scale)));
  }
  return l.d.sat ? l.saturate(result) : result;
}

// To f16 or bf16 from something wider, to nearest even (or, for bf16, toward zero).
Value* to_16_bits(Lowering& l, Type to, Value* value) {
  llvm::IRBuilder<>& b = l.b;
  Value* result = nullptr;
  if (l.d.rounding == Rounding::rz) {
    result = b.CreateTrunc(b.CreateLShr(l.bits(value), 16), l.int_type(16, value));
  } else {
    result = l.narrow16(to, value);
  }
  // f64 is the only type that conversions keep the payload of.
  const bool from_f64 = value->getType()->getScalarType()->isDoubleTy() && l.d.type2 == Type::f64;
  if (!from_f64 || l.d.relu || l.d.satfinite)
    result = b.CreateSelect(l.is_nan(value), Kit::number(result, 0x7fff), result);
  if (l.d.satfinite) {
    const std::uint64_t infinity = to == Type::f16 ? 0x7c00 : 0x7f80;
    Value* magnitude = b.CreateAnd(result, 0x7fff);
    Value* limited = b.CreateSub(result, Kit::number(result, 1));
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, Kit::number(result, infinity)), limited, result);
  }
  if (l.d.relu) result = l.binary(Intrinsic::smax, result, Kit::number(result, 0));
  if (l.d.sat) {
    Value* one = Kit::number(result, to == Type::f16 ? 0x3c00 : 0x3f80);
    Value* number = l.binary(Intrinsic::smin, l.binary(Intrinsic::smax, result, Kit::number(result, 0)), one);
    result = b.CreateSelect(l.is_nan(value), Kit::number(result, 0), number);
  }
  return result;
}

// f32 to tf32: the low 13 bits go, by nearest (ties away or to even) or toward zero.
Value* to_tf32(Lowering& l, Value* value) {
  llvm::IRBuilder<>& b = l.b;
  Value* pattern = l.bits(value);
  Value* result = pattern;
  if (l.d.rounding == Rounding::rna) result = b.CreateAdd(pattern, Kit::number(pattern, 0x1000));
  if (is_nearest(l.d.rounding)) {
    Value* odd = b.CreateAnd(b.CreateLShr(pattern, 13), 1);
    result = b.CreateAdd(b.CreateAdd(pattern, Kit::number(pattern, 0xfff)), odd);
  }
  result = b.CreateAnd(result, 0xffffe000);
  if (l.d.satfinite) {
    Value* infinite = b.CreateICmpEQ(b.CreateAnd(result, 0x7fffffff), Kit::number(result, 0x7f800000));
    result = b.CreateSelect(infinite, b.CreateSub(result, Kit::number(result, 0x2000)), result);
  }
  if (l.d.relu) result = l.binary(Intrinsic::smax, result, Kit::number(result, 0));
  // .rna cuts a NaN off too, the others give the canonical one.
  Value* nan = Kit::number(result, 0x7fffe000);
  if (l.d.rounding == Rounding::rna) nan = b.CreateAnd(pattern, 0xffffe000);
  return b.CreateSelect(l.is_nan(value), nan, result);
}

bool is_inline_float(Type type) { return is_wide_float(type) || is_16_bit_float(type); }

// 16-bit formats on their way to f32, f64 or an integer: exact.
Value* widened(Lowering& l, Type from, Value* value) { return is_16_bit_float(from) ? l.widen16(from, value) : value; }

// f16 to f16 or bf16 to bf16, to whole numbers or as it is: NaNs become the one that there is.
Value* same_16_bits(Lowering& l, Type type, Value* value) {
  Value* result = value;
  if (is_whole(l.d.rounding)) {
    Value* whole = l.to_whole(l.widen16(type, value), l.d.rounding);
    result = l.narrow16(type, l.d.sat ? l.saturate(whole) : whole);
  }
  if (l.d.sat) return result;
  Value* infinity = Kit::number(value, type == Type::f16 ? 0x7c00 : 0x7f80);
  Value* nan = l.b.CreateICmpUGT(l.b.CreateAnd(value, 0x7fff), infinity);
  return l.b.CreateSelect(nan, Kit::number(value, 0x7fff), result);
}

Value* float_to_16_bits(Lowering& l, Type to, Type from, Value* value) {
  const bool plain = !l.d.sat && !l.d.relu && !l.d.satfinite;
  if (to == from && (is_whole(l.d.rounding) || plain)) return same_16_bits(l, to, value);
  const bool truncates = l.d.rounding == Rounding::rz && to == Type::bf16 && from != Type::f64;
  if (!is_nearest(l.d.rounding) && !truncates) return soft_convert(l, to, from, value);
  return to_16_bits(l, to, widened(l, from, value));
}

Value* integer_to_16_bits(Lowering& l, Type to, Type from, Value* value) {
  const unsigned width = ptx::bit_width(from);
  if (!is_nearest(l.d.rounding) || width == 64) return soft_convert(l, to, from, value);
  llvm::Type* exact = width == 32 ? l.f64_type(value) : l.f32_type(value);
  Value* real = ptx::is_signed(from) ? l.b.CreateSIToFP(value, exact) : l.b.CreateUIToFP(value, exact);
  return to_16_bits(l, to, real);
}

}  // namespace

Value* convert_value(Lowering& l, Type to, Type from, Value* value) {
  const bool to_real = ptx::is_float(to), from_real = ptx::is_float(from);
  if (!to_real && !from_real) return integer_to_integer(l, to, from, value);
  const bool known = (!to_real || is_inline_float(to)) && (!from_real || is_inline_float(from));
  if (from == Type::f32) value = l.flush(value, l.d.ftz);
  if (to == Type::tf32 && from == Type::f32) return to_tf32(l, value);
  if (!known) return soft_convert(l, to, from, value);
  if (!from_real)
    return is_16_bit_float(to) ? integer_to_16_bits(l, to, from, value) : integer_to_float(l, to, from, value);
  if (is_16_bit_float(to)) return float_to_16_bits(l, to, from, value);
  if (!to_real) return float_to_integer(l, to, from, widened(l, from, value));
  return float_to_float(l, to, is_16_bit_float(from) ? Type::f32 : from, widened(l, from, value));
}

namespace {

// cvt.rn.f16x2.f32 d, a, b: the first source goes to the highest part.
Value* pack_parts(Lowering& l, Type to, unsigned count) {
  const Type part = ptx::element(to);
  const unsigned width = ptx::bit_width(to) / count;  // the 6-bit formats have a byte each
  llvm::Type* whole = l.carrier_of(to);
  Value* result = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    Value* piece =
        l.resize(convert_value(l, part, l.d.type2, l.use(i, l.d.type2)), whole->getScalarSizeInBits(), false);
    piece = l.b.CreateShl(piece, width * (count - 1 - i));
    result = result ? l.b.CreateOr(result, piece) : piece;
  }
  return result;
}

// Packed to packed: e4m3x2 to f16x2 and the like, part by part.
Value* convert_packed(Lowering& l, Type to, Type from) {
  const Type to_part = ptx::element(to), from_part = ptx::element(from);
  const unsigned count = ptx::element_count(to), to_width = ptx::bit_width(to) / count,
                 from_width = ptx::bit_width(from) / count;
  Value* source = l.use(0, from);
  llvm::Type* whole = l.carrier_of(to);
  Value* result = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    Value* part = l.resize(l.b.CreateLShr(source, i * from_width), ptx::bit_width(from_part), false);
    Value* converted = l.resize(convert_value(l, to_part, from_part, part), whole->getScalarSizeInBits(), false);
    converted = l.b.CreateShl(converted, i * to_width);
    result = result ? l.b.CreateOr(result, converted) : converted;
  }
  return result;
}

Value* convert_stochastic(Lowering& l) {
  if (l.d.type != Type::f16x2 && l.d.type != Type::bf16x2) l.refuse("stochastic rounding to this format is not done");
  SoftCode code;
  code.opcode = ptx::Opcode::cvt;
  code.type = l.d.type;
  code.type2 = l.d.type2;
  code.relu = l.d.relu;
  code.satfinite = l.d.satfinite;
  return l.soft(SoftFunction::convert_stochastic, code.packed(), l.carrier_of(l.d.type),
                {l.use(0, Type::f32), l.use(1, Type::f32), l.use(2, Type::b32)});
}

// cvt.pack.sat: a and b clamped to the type and put side by side, b low; narrower types shift c up and go below it.
Value* pack_integers(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  const bool pairs_of_bits = l.inst.has(Modifier::u2) || l.inst.has(Modifier::s2);
  const bool is_signed = pairs_of_bits ? l.inst.has(Modifier::s2) : ptx::is_signed(l.d.type);
  const unsigned width = pairs_of_bits ? 2 : ptx::bit_width(l.d.type);
  const auto clamp = [&](Value* value) {
    const std::int64_t span = std::int64_t{1} << width;
    value = is_signed ? l.clamp_signed(value, -span / 2, span / 2 - 1) : l.clamp_signed(value, 0, span - 1);
    return b.CreateAnd(value, static_cast<std::uint64_t>(span - 1));
  };
  Value* pair = b.CreateOr(b.CreateShl(clamp(l.use(0, Type::s32)), width), clamp(l.use(1, Type::s32)));
  if (width == 16) return pair;
  return b.CreateOr(b.CreateShl(l.use(2, Type::b32), 2 * width), pair);
}

}  // namespace

Values lower_convert(Lowering& l) {
  if (l.inst.has(Modifier::pack)) return {pack_integers(l)};
  const Type to = l.d.type, from = l.d.type2;
  if (l.d.rounding == Rounding::rs) return {convert_stochastic(l)};
  const unsigned to_count = ptx::element_count(to), from_count = ptx::element_count(from);
  if (from_count > 1) return {convert_packed(l, to, from)};
  if (to_count > 1) return {pack_parts(l, to, to_count)};
  return {convert_value(l, to, from, l.use(0, from))};
}

}  // namespace heddle::device::cpu
