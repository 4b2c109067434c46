#include "ptx/semantics/evaluate.hpp"

#include <string>

#include "heddle/error.hpp"
#include "ptx/semantics/approximate.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/evaluate_video.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::ptx::semantics {
namespace {

using Results = std::array<Value, 2>;

[[noreturn]] void refuse(const Instruction& inst) {
  std::string text{name(inst.opcode)};
  for (Modifier m : inst.modifiers) text += "." + std::string(name(m));
  throw Error(ErrorCode::unsupported, "line " + std::to_string(inst.where.line) + ": the instruction '" + text +
                                          "' has no scalar meaning that Heddle knows");
}

FloatMode mode_of(const Instruction& inst) {
  FloatMode mode;
  mode.rounding = inst.d.rounding == Rounding::none ? Rounding::rn : inst.d.rounding;
  mode.ftz = inst.d.ftz;
  mode.sat = inst.d.sat;
  mode.relu = inst.d.relu;
  mode.satfinite = inst.d.satfinite;
  return mode;
}

// The operands of one evaluation with the little arithmetic that all families share.
class Evaluation {
 public:
  Evaluation(const Instruction& inst, std::span<const Argument> uses, bool& carry)
      : inst_(inst), uses_(uses), carry_(carry), type_(inst.d.type) {}

  Results run();

 private:
  bool present(unsigned i) const { return i < uses_.size() && uses_[i].present; }
  std::uint64_t use(unsigned i) const {
    if (!present(i)) refuse(inst_);
    return uses_[i].value.lo;
  }
  std::uint32_t word(unsigned i) const { return static_cast<std::uint32_t>(use(i)); }
  Modifier modifier_in(std::initializer_list<Modifier> list) const {
    for (Modifier m : list)
      if (inst_.has(m)) return m;
    return Modifier::none;
  }
  std::uint64_t part(unsigned i, unsigned lane, Type type) const {
    return truncate(type, use(i) >> (lane * bit_width(type)));
  }
  // f(lane) for each element of the packed type.
  template <class F>
  Value each_element(F&& f) const {
    const Type single = element(type_);
    const unsigned width = bit_width(single);
    Value result;
    for (unsigned lane = 0; lane < element_count(type_); ++lane)
      result.lo |= truncate(single, f(lane)) << (lane * width);
    return result;
  }

  Value add_or_sub(bool subtract);
  Value multiply();
  Value multiply_add();
  Value fused_multiply_add();
  Value divide();
  Value minimum_or_maximum(bool maximum);
  Value absolute_or_negative(bool absolute);
  Value logic();
  Results logic_table();
  Results compare_to_predicates();
  Value compare_to_value();
  bool combine(bool holds, unsigned extra) const;
  bool compare_lane(Type type, unsigned lane) const;
  Value select_by_sign();
  Value convert_any();
  Value reciprocal();
  Value square_root();
  Value approximate();
  Value with_carry();
  Value bits();

  const Instruction& inst_;
  std::span<const Argument> uses_;
  bool& carry_;
  Type type_;
};

Value Evaluation::with_carry() {
  const bool in = carry_;
  bool out = false;
  std::uint64_t result = 0;
  switch (inst_.opcode) {
    case Opcode::add: result = add_with_carry(type_, use(0), use(1), false, out); break;
    case Opcode::addc: result = add_with_carry(type_, use(0), use(1), in, out); break;
    // The condition code of a subtraction is the carry of a + ~b + 1: set when nothing was borrowed. The ISA calls it
    // the borrow; the difference shows when addc reads it.
    case Opcode::sub:
      result = sub_with_borrow(type_, use(0), use(1), false, out);
      out = !out;
      break;
    case Opcode::subc:
      result = sub_with_borrow(type_, use(0), use(1), !in, out);
      out = !out;
      break;
    case Opcode::mad:
    case Opcode::madc: {
      const std::uint64_t product = integer_mul(type_, inst_.d.half, use(0), use(1));
      result = add_with_carry(type_, product, use(2), inst_.opcode == Opcode::madc && in, out);
      break;
    }
    default: refuse(inst_);
  }
  if (inst_.d.carry_out) carry_ = out;
  return {result};
}

Value Evaluation::add_or_sub(bool subtract) {
  if (inst_.d.carry_out) return with_carry();
  const Type single = element(type_);
  if (!is_float(single)) {
    return each_element([&](unsigned lane) {
      const std::uint64_t a = part(0, lane, single), b = part(1, lane, single);
      return subtract ? integer_sub(single, a, b, inst_.d.sat) : integer_add(single, a, b, inst_.d.sat);
    });
  }
  const FloatMode mode = mode_of(inst_);
  const Format format = format_of(type_);
  if (inst_.d.type2 != Type::none) {  // f32 = f16 + f32
    const std::uint64_t a = convert(type_, inst_.d.type2, use(0), {});
    return {subtract ? float_sub(format, a, use(1), mode) : float_add(format, a, use(1), mode)};
  }
  return each_element([&](unsigned lane) {
    const std::uint64_t a = part(0, lane, single), b = part(1, lane, single);
    return subtract ? float_sub(format, a, b, mode) : float_add(format, a, b, mode);
  });
}

Value Evaluation::multiply() {
  const Type single = element(type_);
  if (!is_float(single)) {
    if (type_ == Type::u64 || type_ == Type::s64) {
      if (inst_.d.half == Half::wide) refuse(inst_);
    }
    return {integer_mul(type_, inst_.d.half, use(0), use(1))};
  }
  const FloatMode mode = mode_of(inst_);
  return each_element(
      [&](unsigned lane) { return float_mul(format_of(type_), part(0, lane, single), part(1, lane, single), mode); });
}

Value Evaluation::fused_multiply_add() {
  const Type single = element(type_);
  FloatMode mode = mode_of(inst_);
  if (inst_.d.type2 != Type::none) {
    const std::uint64_t a = convert(type_, inst_.d.type2, use(0), {}), b = convert(type_, inst_.d.type2, use(1), {});
    return {float_fma(format_of(type_), a, b, use(2), mode)};
  }
  return each_element([&](unsigned lane) {
    return float_fma(format_of(type_), part(0, lane, single), part(1, lane, single), part(2, lane, single), mode);
  });
}

Value Evaluation::multiply_add() {
  if (is_float(type_)) return fused_multiply_add();
  if (inst_.d.carry_out || inst_.opcode == Opcode::madc) return with_carry();
  return {integer_mad(type_, inst_.d.half, use(0), use(1), use(2), inst_.d.sat)};
}

Value Evaluation::divide() {
  if (!is_float(type_)) return {integer_div(type_, use(0), use(1))};
  if (inst_.d.approx) return {approximate_div(word(0), word(1), inst_.d.ftz)};
  if (inst_.d.full) return {approximate_div_full(word(0), word(1), inst_.d.ftz)};
  return {float_div(format_of(type_), use(0), use(1), mode_of(inst_))};
}

Value Evaluation::minimum_or_maximum(bool maximum) {
  const Type single = element(type_);
  if (!is_float(single)) {
    return each_element([&](unsigned lane) {
      const std::uint64_t a = part(0, lane, single), b = part(1, lane, single);
      const std::uint64_t result = maximum ? integer_max_of(single, a, b) : integer_min_of(single, a, b);
      return inst_.d.relu && integer_value(single, result) < 0 ? 0 : result;
    });
  }
  const MinMaxMode mode{inst_.d.ftz, inst_.d.nan, inst_.d.xorsign_abs};
  const Format format = format_of(type_);
  const bool magnitudes = inst_.has(Modifier::abs) && !inst_.d.xorsign_abs;
  const auto best = [&](std::uint64_t a, std::uint64_t b) {
    if (magnitudes) a &= format.magnitude_mask(), b &= format.magnitude_mask();
    return maximum ? float_max(format, a, b, mode) : float_min(format, a, b, mode);
  };
  return each_element([&](unsigned lane) {
    const std::uint64_t two = best(part(0, lane, single), part(1, lane, single));
    return present(2) ? best(two, part(2, lane, single)) : two;
  });
}

Value Evaluation::absolute_or_negative(bool absolute) {
  const Type single = element(type_);
  return each_element([&](unsigned lane) {
    const std::uint64_t a = part(0, lane, single);
    if (!is_float(single)) return absolute ? integer_abs(single, a) : integer_neg(single, a);
    return absolute ? float_abs(format_of(type_), a, inst_.d.ftz) : float_neg(format_of(type_), a, inst_.d.ftz);
  });
}

Value Evaluation::logic() {
  const auto value = [&](unsigned i) { return uses_[i].value; };
  switch (inst_.opcode) {
    case Opcode::and_: return {truncate(type_, value(0).lo & value(1).lo)};
    case Opcode::or_: return {truncate(type_, value(0).lo | value(1).lo)};
    case Opcode::xor_: return {truncate(type_, value(0).lo ^ value(1).lo)};
    case Opcode::not_: return {truncate(type_, ~value(0).lo)};
    default: return {truncate(type_, value(0).lo) == 0 ? std::uint64_t{1} : std::uint64_t{0}};  // cnot
  }
}

Results Evaluation::logic_table() {
  const std::uint64_t result = truncate(type_, logic3(use(0), use(1), use(2), static_cast<std::uint8_t>(use(3))));
  bool predicate = result != 0;
  if (present(4)) predicate = inst_.d.bool_op == BoolOp::and_ ? predicate && use(4) : predicate || use(4);
  return {Value{result}, Value{predicate}};
}

bool Evaluation::combine(bool holds, unsigned extra) const {
  if (inst_.d.bool_op == BoolOp::none || !present(extra)) return holds;
  const bool other = uses_[extra].value.lo & 1;
  switch (inst_.d.bool_op) {
    case BoolOp::and_: return holds && other;
    case BoolOp::or_: return holds || other;
    default: return holds != other;
  }
}

bool Evaluation::compare_lane(Type type, unsigned lane) const {
  const std::uint64_t a = part(0, lane, type), b = part(1, lane, type);
  if (is_float(type)) return float_compare(format_of(type), inst_.d.compare, a, b, inst_.d.ftz);
  return integer_compare(type, inst_.d.compare, a, b);
}

Results Evaluation::compare_to_predicates() {
  const Type single = element(type_);
  const bool low = compare_lane(single, 0);
  const bool second = element_count(type_) == 2 ? compare_lane(single, 1) : !low;
  return {Value{combine(low, 2)}, Value{combine(second, 2)}};
}

Value Evaluation::compare_to_value() {
  const Type source = inst_.d.type2, single = element(source);
  const bool halves = element_count(source) == 2;
  const unsigned width = halves ? 16 : bit_width(type_);
  std::uint64_t truth = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (is_float(type_)) truth = format_of(type_).one();
  Value result;
  for (unsigned lane = 0; lane < element_count(source); ++lane)
    if (combine(compare_lane(single, lane), 2)) result.lo |= truth << (lane * width);
  return result;
}

Value Evaluation::select_by_sign() {
  const Type selector = inst_.d.type2;
  const std::uint64_t c = use(2);
  const bool first = selector == Type::f32 ? float_compare(f32_format, Compare::ge, c, 0, inst_.d.ftz)
                                           : static_cast<std::int32_t>(c) >= 0;
  return uses_[first ? 0 : 1].value;
}

Value Evaluation::convert_any() {
  const Type to = type_, from = inst_.d.type2;
  FloatMode mode = mode_of(inst_);
  mode.rounding = inst_.d.rounding;
  if (inst_.has(Modifier::pack)) {
    const auto a = static_cast<std::int32_t>(use(0)), b = static_cast<std::int32_t>(use(1));
    const bool pairs_of_bits = inst_.has(Modifier::u2) || inst_.has(Modifier::s2);
    const bool to_signed = pairs_of_bits ? inst_.has(Modifier::s2) : is_signed(to);
    return {convert_pack(pairs_of_bits ? 2 : bit_width(to), to_signed, a, b, present(2) ? word(2) : 0)};
  }
  const Type single = element(to), source = element(from);
  const unsigned lanes = element_count(to), width = lanes == 1 ? 0 : bit_width(to) / lanes;
  if (lanes > 2) refuse(inst_);
  const bool packed_source = element_count(from) > 1;
  if (inst_.d.rounding == Rounding::rs) {
    if (lanes != 2) refuse(inst_);
    const std::uint64_t random = use(2);
    const unsigned bits = single == Type::f16 ? 13 : 16;
    const std::uint64_t high = convert_stochastic(single, use(0), static_cast<std::uint32_t>(random >> 16), bits, mode);
    const std::uint64_t low = convert_stochastic(single, use(1), static_cast<std::uint32_t>(random), bits, mode);
    return {(high << 16) | low};
  }
  if (lanes == 1) {
    if (packed_source) refuse(inst_);
    return {convert(to, from, use(0), mode)};
  }
  Value result;
  for (unsigned lane = 0; lane < lanes; ++lane) {  // of two separate sources the first goes to the upper half
    const unsigned source_width = packed_source ? bit_width(from) / element_count(from) : 0;
    const std::uint64_t bits = packed_source ? use(0) >> (lane * source_width) : use(lane == 0 ? 1 : 0);
    result.lo |= convert(single, source, bits, mode) << (lane * width);
  }
  return result;
}

Value Evaluation::reciprocal() {
  if (!inst_.d.approx) return {float_rcp(format_of(type_), use(0), mode_of(inst_))};
  if (type_ == Type::f64) return {approximate_rcp_f64(use(0))};
  return {approximate_rcp(word(0), inst_.d.ftz)};
}

Value Evaluation::square_root() {
  if (!inst_.d.approx) return {float_sqrt(format_of(type_), use(0), mode_of(inst_))};
  return {approximate_sqrt(word(0), inst_.d.ftz)};
}

Value Evaluation::approximate() {
  const bool ftz = inst_.d.ftz;
  const Type single = element(type_);
  if (single == Type::f16 || single == Type::bf16) {
    const bool exponential = inst_.opcode == Opcode::ex2;
    if (!exponential && inst_.opcode != Opcode::tanh) refuse(inst_);
    return each_element([&](unsigned lane) -> std::uint64_t {
      const auto a = static_cast<std::uint16_t>(part(0, lane, single));
      return exponential ? approximate_ex2_half(single, a, ftz) : approximate_tanh_half(single, a);
    });
  }
  if (type_ == Type::f64) {
    if (inst_.opcode != Opcode::rsqrt) refuse(inst_);
    return {approximate_rsqrt_f64(use(0), ftz)};
  }
  switch (inst_.opcode) {
    case Opcode::rsqrt: return {approximate_rsqrt(word(0), ftz)};
    case Opcode::sin: return {approximate_sin(word(0), ftz)};
    case Opcode::cos: return {approximate_cos(word(0), ftz)};
    case Opcode::lg2: return {approximate_lg2(word(0), ftz)};
    case Opcode::ex2: return {approximate_ex2(word(0), ftz)};
    case Opcode::tanh: return {approximate_tanh(word(0))};
    default: refuse(inst_);
  }
}

Value Evaluation::bits() {
  const bool wrap = inst_.has(Modifier::wrap);
  switch (inst_.opcode) {
    case Opcode::shl: return {shift_left(type_, use(0), word(1))};
    case Opcode::shr: return {shift_right(type_, use(0), word(1))};
    case Opcode::shf: return {funnel_shift(inst_.has(Modifier::l), wrap, word(0), word(1), word(2))};
    case Opcode::popc: return {population_count(type_, use(0))};
    case Opcode::clz: return {leading_zeros(type_, use(0))};
    case Opcode::brev: return {bit_reverse(type_, use(0))};
    case Opcode::bfind: return {find_bit(type_, use(0), inst_.has(Modifier::shiftamt))};
    case Opcode::fns: return {find_nth_set(word(0), word(1), static_cast<std::int32_t>(word(2)))};
    case Opcode::bfe: return {bit_field_extract(type_, use(0), word(1), word(2))};
    case Opcode::bfi: return {bit_field_insert(type_, use(0), use(1), word(2), word(3))};
    case Opcode::bmsk: return {bit_mask(wrap, word(0), word(1))};
    case Opcode::szext: return {size_extend(wrap, is_signed(type_), word(0), word(1))};
    case Opcode::prmt: {
      const Modifier mode =
          modifier_in({Modifier::f4e, Modifier::b4e, Modifier::rc8, Modifier::ecl, Modifier::ecr, Modifier::rc16});
      return {permute(mode, word(0), word(1), word(2))};
    }
    default: refuse(inst_);
  }
}

Results Evaluation::run() {
  const Half half = inst_.d.half;
  switch (inst_.opcode) {
    case Opcode::add: return {add_or_sub(false)};
    case Opcode::sub: return {add_or_sub(true)};
    case Opcode::addc:
    case Opcode::subc: return {with_carry()};
    case Opcode::mul: return {multiply()};
    case Opcode::mad:
    case Opcode::madc: return {multiply_add()};
    case Opcode::fma: return {fused_multiply_add()};
    case Opcode::mul24: return {Value{integer_mul24(type_, half, use(0), use(1))}};
    case Opcode::mad24: return {Value{integer_mad24(type_, half, use(0), use(1), use(2), inst_.d.sat)}};
    case Opcode::sad: return {Value{integer_sad(type_, use(0), use(1), use(2))}};
    case Opcode::div: return {divide()};
    case Opcode::rem: return {Value{integer_rem(type_, use(0), use(1))}};
    case Opcode::min: return {minimum_or_maximum(false)};
    case Opcode::max: return {minimum_or_maximum(true)};
    case Opcode::abs: return {absolute_or_negative(true)};
    case Opcode::neg: return {absolute_or_negative(false)};
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot: return {logic()};
    case Opcode::lop3: return logic_table();
    case Opcode::setp: return compare_to_predicates();
    case Opcode::set: return {compare_to_value()};
    case Opcode::selp: return {uses_[use(2) & 1 ? 0 : 1].value};
    case Opcode::slct: return {select_by_sign()};
    case Opcode::cvt: return {convert_any()};
    case Opcode::rcp: return {reciprocal()};
    case Opcode::sqrt: return {square_root()};
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh: return {approximate()};
    case Opcode::testp: {
      const Modifier kind = modifier_in({Modifier::finite, Modifier::infinite, Modifier::number, Modifier::notanumber,
                                         Modifier::normal, Modifier::subnormal});
      return {Value{float_test(format_of(type_), kind, use(0))}};
    }
    case Opcode::copysign: return {Value{float_copysign(format_of(type_), use(0), use(1))}};
    case Opcode::dp4a: return {Value{dot4(is_signed(type_), is_signed(inst_.d.type2), word(0), word(1), word(2))}};
    case Opcode::dp2a:
      return {Value{dot2(is_signed(type_), is_signed(inst_.d.type2), half == Half::hi, word(0), word(1), word(2))}};
    default: break;
  }
  if (is_video(inst_.opcode)) {
    return {Value{evaluate_video(inst_, word(0), word(1), present(2) ? word(2) : 0)}};
  }
  return {bits()};
}

}  // namespace

bool evaluates(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::madc:
    case Opcode::fma:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::sad:
    case Opcode::div:
    case Opcode::rem:
    case Opcode::min:
    case Opcode::max:
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::lop3:
    case Opcode::setp:
    case Opcode::set:
    case Opcode::selp:
    case Opcode::slct:
    case Opcode::cvt:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
    case Opcode::testp:
    case Opcode::copysign:
    case Opcode::dp4a:
    case Opcode::dp2a:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::shf:
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::brev:
    case Opcode::bfind:
    case Opcode::fns:
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bmsk:
    case Opcode::szext:
    case Opcode::prmt: return true;
    default: return is_video(opcode);
  }
}

std::array<Value, 2> evaluate(const Instruction& inst, std::span<const Argument> uses, bool& carry) {
  return Evaluation(inst, uses, carry).run();
}

}  // namespace heddle::ptx::semantics
