// Rows of cvt: between integers, and between integers, f32 and f64 in the roundings that the host computes.
#include <limits>
#include <type_traits>

#include "device/machine/row_loops.hpp"
#include "ptx/semantics/convert.hpp"

namespace heddle::device::machine {
namespace {

namespace semantics = ptx::semantics;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
using u64 = std::uint64_t;

// The result has the sign of the source's type in its upper bits.
template <class T>
struct Extend {
  static u64 of(u64 a) { return static_cast<u64>(static_cast<std::int64_t>(static_cast<T>(a))); }
};

template <class From>
struct IntegerToSingle {
  static u64 of(u64 a) { return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<From>(a))); }
};
template <class From>
struct IntegerToDouble {
  static u64 of(u64 a) { return std::bit_cast<u64>(static_cast<double>(static_cast<From>(a))); }
};

// Toward zero, clamped to the range; a NaN as semantics::convert() has it.
template <class To, class From>
struct ToInteger {
  static u64 of(u64 a) {
    From value;
    if constexpr (sizeof(From) == 4) {
      value = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    } else {
      value = std::bit_cast<double>(a);
    }
    using Limits = std::numeric_limits<To>;
    constexpr bool wide = sizeof(From) == 8 || sizeof(To) == 8;
    constexpr u64 of_nan = wide ? u64{1} << (8 * sizeof(To) - 1) : 0;
    constexpr From above = static_cast<From>(Limits::max() / 2 + 1) * 2;  // the first number that is too large
    if (value != value) return of_nan;
    if (value >= above) return static_cast<std::make_unsigned_t<To>>(Limits::max());
    if (value <= static_cast<From>(Limits::min())) return static_cast<std::make_unsigned_t<To>>(Limits::min());
    return static_cast<std::make_unsigned_t<To>>(static_cast<To>(value));
  }
};

template <bool ftz>
struct SingleToDouble {
  static u64 of(u64 a) {
    auto bits = static_cast<std::uint32_t>(a);
    if (ftz && (bits & 0x7f800000) == 0) bits &= 0x80000000;
    const auto value = std::bit_cast<float>(bits);
    if (value == value) return std::bit_cast<u64>(static_cast<double>(value));
    semantics::FloatMode mode;
    mode.ftz = ftz;
    return semantics::convert(Type::f64, Type::f32, a, mode);
  }
};
template <bool ftz>
struct DoubleToSingle {
  static u64 of(u64 a) {
    const auto value = std::bit_cast<double>(a);
    auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    // With .ftz what is tiny before it is rounded to the least normal number is 0.
    if (value != value || (ftz && (bits & 0x7fffffff) == 0x00800000)) {
      semantics::FloatMode mode;
      mode.ftz = ftz;
      return semantics::convert(Type::f32, Type::f64, a, mode);
    }
    if (ftz && (bits & 0x7f800000) == 0) bits &= 0x80000000;
    return bits;
  }
};

RowFunction between_integers(Type from) {
  const bool is_signed = ptx::is_signed(from);
  switch (ptx::bit_width(from)) {
    case 8: return is_signed ? row1<Extend<std::int8_t>> : row1<Extend<std::uint8_t>>;
    case 16: return is_signed ? row1<Extend<std::int16_t>> : row1<Extend<std::uint16_t>>;
    case 32: return is_signed ? row1<Extend<std::int32_t>> : row1<Extend<std::uint32_t>>;
    case 64: return copy_row();
    default: return nullptr;
  }
}

template <template <class> class Op>
RowFunction from_integer(Type from) {
  const bool is_signed = ptx::is_signed(from);
  switch (ptx::bit_width(from)) {
    case 8: return is_signed ? row1<Op<std::int8_t>> : row1<Op<std::uint8_t>>;
    default: return for_integer(from, [](auto t) -> RowFunction { return row1<Op<decltype(t)>>; });
  }
}

template <class From>
RowFunction to_integer(Type to) {
  if (ptx::bit_width(to) < 32) return nullptr;
  return for_integer(to, [](auto t) -> RowFunction { return row1<ToInteger<decltype(t), From>>; });
}

bool is_integer_type(Type type) {
  return (ptx::is_integer(type) || ptx::is_bits(type)) && ptx::element_count(type) == 1;
}

}  // namespace

RowFunction convert_row(const Instruction& inst) {
  const Type to = inst.d.type, from = inst.d.type2;
  const Rounding rounding = inst.d.rounding;
  if (inst.opcode != Opcode::cvt || inst.modifiers.has(ptx::Modifier::pack) || inst.d.sat || inst.d.relu ||
      inst.d.satfinite)
    return nullptr;
  const bool nearest = rounding == Rounding::rn, cut = rounding == Rounding::none || rounding == Rounding::rzi;
  if (is_integer_type(to) && is_integer_type(from)) return between_integers(from);
  if (is_integer_type(from) && nearest) {
    if (to == Type::f32) return from_integer<IntegerToSingle>(from);
    if (to == Type::f64) return from_integer<IntegerToDouble>(from);
  }
  if (is_integer_type(to) && cut) {
    if (from == Type::f32) return to_integer<float>(to);
    if (from == Type::f64) return to_integer<double>(to);
  }
  if (to == Type::f64 && from == Type::f32 && rounding == Rounding::none)
    return inst.d.ftz ? row1<SingleToDouble<true>> : row1<SingleToDouble<false>>;
  if (to == Type::f32 && from == Type::f64 && nearest)
    return inst.d.ftz ? row1<DoubleToSingle<true>> : row1<DoubleToSingle<false>>;
  return nullptr;
}

}  // namespace heddle::device::machine
