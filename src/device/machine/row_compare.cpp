// Rows of comparisons: setp, and what joins them with a predicate.
#include <type_traits>

#include "device/machine/row_loops.hpp"

namespace heddle::device::machine {
namespace {

using ptx::BoolOp;
using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;
using u64 = std::uint64_t;

template <class T>
T value_of(u64 word) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(word);
  } else {
    return static_cast<T>(word);
  }
}

template <class T, Compare compare>
struct Comparison {
  static u64 of(u64 left, u64 right) {
    const T a = value_of<T>(left), b = value_of<T>(right);
    switch (compare) {
      case Compare::eq: return a == b;
      case Compare::ne: return a < b || a > b;  // false where one is a NaN
      case Compare::lt:
      case Compare::lo: return a < b;
      case Compare::le:
      case Compare::ls: return a <= b;
      case Compare::gt:
      case Compare::hi: return a > b;
      case Compare::ge:
      case Compare::hs: return a >= b;
      case Compare::equ: return !(a < b || a > b);
      case Compare::neu: return !(a == b);
      case Compare::ltu: return !(a >= b);
      case Compare::leu: return !(a > b);
      case Compare::gtu: return !(a <= b);
      case Compare::geu: return !(a < b);
      case Compare::num: return a == a && b == b;
      case Compare::nan: return a != a || b != b;
      default: return 0;
    }
  }
};

template <class T>
RowFunction of_type(Compare compare) {
  switch (compare) {
    case Compare::eq: return row2<Comparison<T, Compare::eq>>;
    case Compare::ne: return row2<Comparison<T, Compare::ne>>;
    case Compare::lt:
    case Compare::lo: return row2<Comparison<T, Compare::lt>>;
    case Compare::le:
    case Compare::ls: return row2<Comparison<T, Compare::le>>;
    case Compare::gt:
    case Compare::hi: return row2<Comparison<T, Compare::gt>>;
    case Compare::ge:
    case Compare::hs: return row2<Comparison<T, Compare::ge>>;
    default: return nullptr;
  }
}

template <class T>
RowFunction of_float(Compare compare) {
  switch (compare) {
    case Compare::equ: return row2<Comparison<T, Compare::equ>>;
    case Compare::neu: return row2<Comparison<T, Compare::neu>>;
    case Compare::ltu: return row2<Comparison<T, Compare::ltu>>;
    case Compare::leu: return row2<Comparison<T, Compare::leu>>;
    case Compare::gtu: return row2<Comparison<T, Compare::gtu>>;
    case Compare::geu: return row2<Comparison<T, Compare::geu>>;
    case Compare::num: return row2<Comparison<T, Compare::num>>;
    case Compare::nan: return row2<Comparison<T, Compare::nan>>;
    default: return of_type<T>(compare);
  }
}

template <BoolOp op>
struct Combine {
  static u64 of(u64 holds, u64, u64 other) {
    switch (op) {
      case BoolOp::and_: return holds & other & 1;
      case BoolOp::or_: return (holds | other) & 1;
      default: return (holds ^ other) & 1;
    }
  }
};

}  // namespace

RowFunction combine_row(BoolOp op) {
  switch (op) {
    case BoolOp::and_: return row3<Combine<BoolOp::and_>>;
    case BoolOp::or_: return row3<Combine<BoolOp::or_>>;
    case BoolOp::xor_: return row3<Combine<BoolOp::xor_>>;
    default: return nullptr;
  }
}

RowFunction compare_row(const Instruction& inst) {
  const Type type = inst.d.type;
  const Compare compare = inst.d.compare;
  if (inst.opcode != Opcode::setp || inst.d.ftz) return nullptr;
  if (type == Type::f32) return of_float<float>(compare);
  if (type == Type::f64) return of_float<double>(compare);
  if (ptx::is_float(type) || ptx::element_count(type) != 1) return nullptr;
  return for_integer(type, [&](auto t) -> RowFunction { return of_type<decltype(t)>(compare); });
}

}  // namespace heddle::device::machine
