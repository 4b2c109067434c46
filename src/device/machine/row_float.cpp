// Rows of f32 and f64 arithmetic to the nearest, which the host computes as IEEE 754 has it, and of the approximate
// instructions. NaNs are those of ptx::semantics: the host has others.
#include <cmath>

#include "device/machine/row_loops.hpp"
#include "ptx/semantics/approximate.hpp"
#include "ptx/semantics/float_arithmetic.hpp"

namespace heddle::device::machine {
namespace {

namespace semantics = ptx::semantics;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
using u64 = std::uint64_t;

template <class T, bool ftz>
T operand(u64 word) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<double>(word);
  } else {
    auto bits = static_cast<std::uint32_t>(word);
    if (ftz && (bits & 0x7f800000) == 0) bits &= 0x80000000;
    return std::bit_cast<float>(bits);
  }
}

// `reference` computes the same where the host's result is not PTX's: NaNs (those of f64 have the payload of an
// operand), and with .ftz the least normal number, to which the host rounds also what is tiny before that (semantics:
// what rounds to a normal number in full precision stays).
template <class T, bool ftz, class Reference>
u64 result(T value, Reference&& reference) {
  if constexpr (sizeof(T) == 8) {
    if (value != value) [[unlikely]]
      return reference(semantics::f64_format, semantics::FloatMode{});
    return std::bit_cast<u64>(value);
  } else {
    constexpr std::uint32_t least_normal = 0x00800000, magnitude = 0x7fffffff, exponent = 0x7f800000;
    auto bits = std::bit_cast<std::uint32_t>(value);
    if constexpr (ftz) {
      if ((bits & magnitude) == least_normal) [[unlikely]] {
        semantics::FloatMode mode;
        mode.ftz = true;
        return reference(semantics::f32_format, mode);
      }
      if ((bits & exponent) == 0) bits &= ~magnitude;
    }
    return value == value ? bits : static_cast<std::uint32_t>(semantics::f32_format.canonical_nan);
  }
}

template <class T, bool ftz>
struct Add {
  static u64 of(u64 a, u64 b) {
    return result<T, ftz>(operand<T, ftz>(a) + operand<T, ftz>(b),
                          [&](semantics::Format format, const semantics::FloatMode& mode) {
                            return semantics::float_add(format, a, b, mode);
                          });
  }
};
template <class T, bool ftz>
struct Subtract {
  static u64 of(u64 a, u64 b) {
    return result<T, ftz>(operand<T, ftz>(a) - operand<T, ftz>(b),
                          [&](semantics::Format format, const semantics::FloatMode& mode) {
                            return semantics::float_sub(format, a, b, mode);
                          });
  }
};
template <class T, bool ftz>
struct Multiply {
  static u64 of(u64 a, u64 b) {
    return result<T, ftz>(operand<T, ftz>(a) * operand<T, ftz>(b),
                          [&](semantics::Format format, const semantics::FloatMode& mode) {
                            return semantics::float_mul(format, a, b, mode);
                          });
  }
};
template <class T, bool ftz>
struct Divide {
  static u64 of(u64 a, u64 b) {
    return result<T, ftz>(operand<T, ftz>(a) / operand<T, ftz>(b),
                          [&](semantics::Format format, const semantics::FloatMode& mode) {
                            return semantics::float_div(format, a, b, mode);
                          });
  }
};
template <class T, bool ftz>
struct Reciprocal {
  static u64 of(u64 a) {
    return result<T, ftz>(T{1} / operand<T, ftz>(a), [&](semantics::Format format, const semantics::FloatMode& mode) {
      return semantics::float_rcp(format, a, mode);
    });
  }
};
template <class T, bool ftz>
struct SquareRoot {
  static u64 of(u64 a) {
    return result<T, ftz>(std::sqrt(operand<T, ftz>(a)),
                          [&](semantics::Format format, const semantics::FloatMode& mode) {
                            return semantics::float_sqrt(format, a, mode);
                          });
  }
};
// Processors without an instruction for it would take long.
#if defined(__x86_64__)
template <class T, bool ftz>
[[gnu::target("avx2,fma")]] void multiply_add(const u64* a, const u64* b, const u64* c, u64* __restrict to) {
  for (unsigned i = 0; i < row_lanes; ++i) {
    const T x = operand<T, ftz>(a[i]), y = operand<T, ftz>(b[i]), z = operand<T, ftz>(c[i]);
    T value;
    if constexpr (sizeof(T) == 8) {
      value = __builtin_fma(x, y, z);
    } else {
      value = __builtin_fmaf(x, y, z);
    }
    to[i] = result<T, ftz>(value, [&](semantics::Format format, const semantics::FloatMode& mode) {
      return semantics::float_fma(format, a[i], b[i], c[i], mode);
    });
  }
}
bool has_multiply_add() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
template <class T, bool ftz>
struct MultiplyAdd {
  static u64 of(u64 a, u64 b, u64 c) {
    return result<T, ftz>(std::fma(operand<T, ftz>(a), operand<T, ftz>(b), operand<T, ftz>(c)),
                          [&](semantics::Format format, const semantics::FloatMode& mode) {
                            return semantics::float_fma(format, a, b, c, mode);
                          });
  }
};
template <class T, bool ftz>
void multiply_add(const u64* a, const u64* b, const u64* c, u64* __restrict to) {
  row3<MultiplyAdd<T, ftz>>(a, b, c, to);
}
bool has_multiply_add() { return true; }
#endif

template <bool ftz, std::uint32_t (*function)(std::uint32_t, bool)>
struct Approximate1 {
  static u64 of(u64 a) { return function(static_cast<std::uint32_t>(a), ftz); }
};
template <bool ftz, std::uint32_t (*function)(std::uint32_t, std::uint32_t, bool)>
struct Approximate2 {
  static u64 of(u64 a, u64 b) { return function(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), ftz); }
};

// The negation and the magnitude of a NaN are NaNs that arithmetic gives.
template <class T, bool ftz>
struct Negate {
  static u64 of(u64 a) {
    return result<T, ftz>(-operand<T, ftz>(a), [&](semantics::Format format, const semantics::FloatMode&) {
      return semantics::float_neg(format, a, ftz);
    });
  }
};
template <class T, bool ftz>
struct Magnitude {
  static u64 of(u64 a) {
    return result<T, ftz>(std::abs(operand<T, ftz>(a)), [&](semantics::Format format, const semantics::FloatMode&) {
      return semantics::float_abs(format, a, ftz);
    });
  }
};

// The number where one operand is a NaN; -0 is less than +0.
template <class T, bool ftz, bool most>
struct Extreme {
  static u64 of(u64 a, u64 b) {
    const T x = operand<T, ftz>(a), y = operand<T, ftz>(b);
    const auto reference = [&](semantics::Format format, const semantics::FloatMode& mode) {
      semantics::MinMaxMode wanted;
      wanted.ftz = mode.ftz;
      return most ? semantics::float_max(format, a, b, wanted) : semantics::float_min(format, a, b, wanted);
    };
    if (x != x) return result<T, ftz>(y, reference);
    if (y != y) return result<T, ftz>(x, reference);
    const bool less = x < y || (x == y && std::signbit(x));
    return result<T, ftz>(less != most ? x : y, reference);
  }
};

template <bool ftz>
RowFunction approximate(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::rcp: return row1<Approximate1<ftz, semantics::approximate_rcp>>;
    case Opcode::sqrt: return row1<Approximate1<ftz, semantics::approximate_sqrt>>;
    case Opcode::rsqrt: return row1<Approximate1<ftz, semantics::approximate_rsqrt>>;
    case Opcode::sin: return row1<Approximate1<ftz, semantics::approximate_sin>>;
    case Opcode::cos: return row1<Approximate1<ftz, semantics::approximate_cos>>;
    case Opcode::lg2: return row1<Approximate1<ftz, semantics::approximate_lg2>>;
    case Opcode::ex2: return row1<Approximate1<ftz, semantics::approximate_ex2>>;
    case Opcode::div:
      return inst.d.approx ? row2<Approximate2<ftz, semantics::approximate_div>>
                           : row2<Approximate2<ftz, semantics::approximate_div_full>>;
    default: return nullptr;
  }
}

template <class T, bool ftz>
RowFunction arithmetic(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::add: return row2<Add<T, ftz>>;
    case Opcode::sub: return row2<Subtract<T, ftz>>;
    case Opcode::mul: return row2<Multiply<T, ftz>>;
    case Opcode::div: return row2<Divide<T, ftz>>;
    case Opcode::rcp: return row1<Reciprocal<T, ftz>>;
    case Opcode::sqrt: return row1<SquareRoot<T, ftz>>;
    case Opcode::neg: return row1<Negate<T, ftz>>;
    case Opcode::abs: return row1<Magnitude<T, ftz>>;
    case Opcode::min: return row2<Extreme<T, ftz, false>>;
    case Opcode::max: return row2<Extreme<T, ftz, true>>;
    case Opcode::mad:
    case Opcode::fma: return has_multiply_add() ? multiply_add<T, ftz> : nullptr;
    default: return nullptr;
  }
}

}  // namespace

RowFunction float_row(const Instruction& inst) {
  const Type type = inst.d.type;
  if (type != Type::f32 && type != Type::f64) return nullptr;
  if (inst.d.type2 != Type::none || inst.d.sat || inst.d.relu || inst.d.carry_out || inst.d.nan || inst.d.xorsign_abs ||
      inst.modifiers.has(ptx::Modifier::abs))
    return nullptr;
  if (type == Type::f32 && (inst.d.approx || inst.d.full))
    return inst.d.ftz ? approximate<true>(inst) : approximate<false>(inst);
  const bool nearest = inst.d.rounding == Rounding::none || inst.d.rounding == Rounding::rn;
  if (!nearest || inst.d.approx || inst.d.full) return nullptr;
  if (type == Type::f64) return arithmetic<double, false>(inst);
  return inst.d.ftz ? arithmetic<float, true>(inst) : arithmetic<float, false>(inst);
}

}  // namespace heddle::device::machine
