// Rows of integer, logic and bit instructions, and moves.
#include <algorithm>
#include <type_traits>

#include "device/machine/row_loops.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::device::machine {
namespace {

namespace semantics = ptx::semantics;
using ptx::Half;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;
using u64 = std::uint64_t;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
constexpr u64 bits(T value) {
  return static_cast<Unsigned<T>>(value);
}
template <class T>
struct Add {
  static u64 of(u64 a, u64 b) { return static_cast<T>(a + b); }
};
template <class T>
struct Subtract {
  static u64 of(u64 a, u64 b) { return static_cast<T>(a - b); }
};
template <class T>
struct Multiply {
  static u64 of(u64 a, u64 b) { return static_cast<T>(a * b); }
};
template <class T>
struct MultiplyAdd {
  static u64 of(u64 a, u64 b, u64 c) { return static_cast<T>(a * b + c); }
};
template <class T>
struct And {
  static u64 of(u64 a, u64 b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  static u64 of(u64 a, u64 b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  static u64 of(u64 a, u64 b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  static u64 of(u64 a) { return static_cast<T>(~a); }
};
template <class T>
struct Negate {
  static u64 of(u64 a) { return static_cast<T>(u64{0} - a); }
};
template <class T>
struct Least {
  static u64 of(u64 a, u64 b) { return bits(std::min(static_cast<T>(a), static_cast<T>(b))); }
};
template <class T>
struct Most {
  static u64 of(u64 a, u64 b) { return bits(std::max(static_cast<T>(a), static_cast<T>(b))); }
};
// The product's width is twice T's: 16 or 32 bits.
template <class T>
struct WideProduct {
  static u64 of(u64 a, u64 b) {
    if constexpr (sizeof(T) == 2) {
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(static_cast<T>(a)) * static_cast<T>(b));
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<u64>(std::int64_t{static_cast<T>(a)} * static_cast<T>(b));
    } else {
      return u64{static_cast<T>(a)} * static_cast<T>(b);
    }
  }
};
template <class T>
struct WideProductAdd {
  static u64 of(u64 a, u64 b, u64 c) {
    const u64 sum = WideProduct<T>::of(a, b) + c;
    return sizeof(T) == 2 ? static_cast<std::uint32_t>(sum) : sum;
  }
};
template <class T>
struct HighProduct {
  static u64 of(u64 a, u64 b) {
    if constexpr (sizeof(T) == 8) {
      using Wide = std::conditional_t<std::is_signed_v<T>, semantics::s128, semantics::u128>;
      return static_cast<u64>((static_cast<Wide>(static_cast<T>(a)) * static_cast<T>(b)) >> 64);
    } else {
      return static_cast<Unsigned<T>>(WideProduct<T>::of(a, b) >> (8 * sizeof(T)));
    }
  }
};
template <class T>
struct ShiftLeft {
  static u64 of(u64 a, u64 b) {
    const auto amount = static_cast<std::uint32_t>(b);
    return amount >= 8 * sizeof(T) ? 0 : static_cast<T>(a << amount);
  }
};
template <class T>
struct ShiftRight {
  static u64 of(u64 a, u64 b) {
    constexpr std::uint32_t most = 8 * sizeof(T) - 1;
    const auto amount = static_cast<std::uint32_t>(b);
    const auto shifted = static_cast<T>(static_cast<T>(a) >> std::min(amount, most));
    if (std::is_unsigned_v<T> && amount > most) return 0;
    return bits(shifted);
  }
};
// Lanes that take no part may have any divisor.
template <class T>
struct Divide {
  static u64 of(u64 a, u64 b) {
    const auto x = static_cast<T>(a), y = static_cast<T>(b);
    if (y == 0) return static_cast<Unsigned<T>>(~u64{0});
    if (std::is_signed_v<T> && y == static_cast<T>(-1)) return static_cast<Unsigned<T>>(u64{0} - a);
    return bits(static_cast<T>(x / y));
  }
};
template <class T>
struct Remainder {
  static u64 of(u64 a, u64 b) {
    const auto x = static_cast<T>(a), y = static_cast<T>(b);
    if (y == 0) return static_cast<Unsigned<T>>(~u64{0});
    if (std::is_signed_v<T> && y == static_cast<T>(-1)) return 0;
    return bits(static_cast<T>(x % y));
  }
};
struct Copy {
  static u64 of(u64 a) { return a; }
};
struct Select {
  static u64 of(u64 a, u64 b, u64 c) { return (c & 1) != 0 ? a : b; }
};

template <template <class> class Op>
RowFunction unsigned2(Type type) {
  return for_width(ptx::bit_width(type), [](auto t) -> RowFunction { return row2<Op<decltype(t)>>; });
}
template <template <class> class Op>
RowFunction unsigned1(Type type) {
  return for_width(ptx::bit_width(type), [](auto t) -> RowFunction { return row1<Op<decltype(t)>>; });
}
template <template <class> class Op>
RowFunction integer2(Type type) {
  return for_integer(type, [](auto t) -> RowFunction { return row2<Op<decltype(t)>>; });
}

// The upper half of a product of 16 bits executes lane by lane: GCC 12 leaves sign bits above it when it vectorises it.
RowFunction product(const Instruction& inst) {
  const Type type = inst.d.type;
  if (inst.d.half == Half::hi) return ptx::bit_width(type) == 16 ? nullptr : integer2<HighProduct>(type);
  if (inst.d.half != Half::wide) return unsigned2<Multiply>(type);
  return ptx::bit_width(type) > 32 ? nullptr : integer2<WideProduct>(type);
}

RowFunction product_and_sum(const Instruction& inst) {
  const Type type = inst.d.type;
  if (inst.d.half == Half::hi) return nullptr;
  if (inst.d.half != Half::wide)
    return for_width(ptx::bit_width(type), [](auto t) -> RowFunction { return row3<MultiplyAdd<decltype(t)>>; });
  if (ptx::bit_width(type) > 32) return nullptr;
  return for_integer(type, [](auto t) -> RowFunction { return row3<WideProductAdd<decltype(t)>>; });
}

// Predicates are words of one bit.
RowFunction logic(const Instruction& inst) {
  const Type type = inst.d.type == Type::pred ? Type::b64 : inst.d.type;
  switch (inst.opcode) {
    case Opcode::and_: return unsigned2<And>(type);
    case Opcode::or_: return unsigned2<Or>(type);
    case Opcode::xor_: return unsigned2<Xor>(type);
    default: return inst.d.type == Type::pred ? nullptr : unsigned1<Not>(type);
  }
}

}  // namespace

RowFunction copy_row() { return row1<Copy>; }

RowFunction integer_row(const Instruction& inst) {
  const Type type = inst.d.type;
  switch (inst.opcode) {
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_: return logic(inst);
    case Opcode::selp: return row3<Select>;
    case Opcode::shl: return unsigned2<ShiftLeft>(type);
    case Opcode::shr: return integer2<ShiftRight>(type);
    default: break;
  }
  if (ptx::is_float(type) || ptx::element_count(type) != 1 || inst.d.carry_out || inst.d.sat || inst.d.relu)
    return nullptr;
  switch (inst.opcode) {
    case Opcode::add: return unsigned2<Add>(type);
    case Opcode::sub: return unsigned2<Subtract>(type);
    case Opcode::mul: return product(inst);
    case Opcode::mad: return product_and_sum(inst);
    case Opcode::min: return integer2<Least>(type);
    case Opcode::max: return integer2<Most>(type);
    case Opcode::neg: return unsigned1<Negate>(type);
    case Opcode::div: return integer2<Divide>(type);
    case Opcode::rem: return integer2<Remainder>(type);
    default: return nullptr;
  }
}

}  // namespace heddle::device::machine
