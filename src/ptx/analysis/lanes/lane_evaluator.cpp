#include "ptx/analysis/lanes/lane_evaluator.hpp"

#include <algorithm>

#include "ptx/analysis/lanes/lane_address.hpp"
#include "ptx/analysis/lanes/lane_load.hpp"
#include "ptx/analysis/lanes/lane_special.hpp"

namespace heddle::ptx::analysis {
namespace {

using Kind = LaneValue::Kind;

unsigned width_of(Type type) { return type == Type::pred ? 1 : std::max(1u, bit_width(type)); }

bool is_plain_integer(Type type) {
  return is_integer(type) || type == Type::b16 || type == Type::b32 || type == Type::b64 || type == Type::b8;
}

// The result is of the warp or block, not of the lane.
bool combines_lanes(Opcode opcode) {
  switch (opcode) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::activemask:
    case Opcode::bar:
    case Opcode::barrier: return true;
    default: return false;
  }
}

// Every lane gets a result of its own, whatever the operands; or it depends on a carry that another instruction left.
bool is_each_lanes_own(Opcode opcode) {
  switch (opcode) {
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
    case Opcode::atom:
    case Opcode::call:
    case Opcode::alloca:
    case Opcode::stacksave:
    case Opcode::mma:
    case Opcode::wmma:
    case Opcode::wgmma:
    case Opcode::ldmatrix:
    case Opcode::movmatrix:
    case Opcode::mbarrier:
    case Opcode::multimem:
    case Opcode::clusterlaunchcontrol:
    case Opcode::cp:
    case Opcode::suld: return true;
    default: return false;
  }
}

}  // namespace

LaneEvaluator::LaneEvaluator(const LaneContext& context, const LaneArithmetic& arithmetic, std::uint32_t instruction)
    : context_(context), arithmetic_(arithmetic), index_(instruction), inst_(context.function.body[instruction]) {}

LaneValue LaneEvaluator::of_use(std::uint16_t number, std::uint16_t element) const {
  const std::uint32_t web = context_.webs.use(index_, number, element);
  if (web == no_web) return LaneValue::varying();
  return context_.values[web];
}

LaneValue LaneEvaluator::written(const Operand& operand, std::uint16_t number, std::uint16_t element) const {
  switch (operand.kind) {
    case OperandKind::reg: {
      const LaneValue value = of_use(number, element);
      return operand.negated && value.kind != Kind::none ? LaneArithmetic::generic({&value}) : value;
    }
    case OperandKind::special: return value_of_special(context_.lanes, operand.special);
    case OperandKind::integer: return LaneValue::constant(operand.value, 64);
    case OperandKind::address: return address(operand, number);
    case OperandKind::vector: {
      LaneValue value = LaneValue::make_uniform(true);
      for (std::uint16_t e = 0; e < operand.elements.size(); ++e) {
        const LaneValue item = written(operand.elements[e], number, e);
        if (item.kind == Kind::none) return item;
        value = LaneArithmetic::generic({&value, &item});
      }
      return value;
    }
    case OperandKind::symbol:
      if (has_lane_address(context_.function, operand.symbol)) return LaneValue::varying();
      return LaneValue::make_uniform(true);
    default: return LaneValue::make_uniform(true);  // literals
  }
}

LaneValue LaneEvaluator::address(const Operand& operand, std::uint16_t number) const {
  if (operand.base != OperandKind::reg) return LaneValue::make_uniform(true);
  LaneValue base = of_use(number, 0);
  if (base.kind == Kind::none) return base;
  const std::uint32_t web = context_.webs.use(index_, number, 0);
  const unsigned width = width_of(context_.webs.web(web).type);
  base = arithmetic_.add(base, LaneValue::constant(operand.value, width), width);
  for (std::uint16_t e = 0; e < operand.elements.size(); ++e) {  // coordinates
    LaneValue item = LaneValue::make_uniform(true);
    const Operand& coordinate = operand.elements[e];
    if (coordinate.kind == OperandKind::vector) {
      for (std::uint16_t c = 0; c < coordinate.elements.size(); ++c) {
        const LaneValue one = written(coordinate.elements[c], number, static_cast<std::uint16_t>(e + 1 + c));
        if (one.kind == Kind::none) return one;
        item = LaneArithmetic::generic({&item, &one});
      }
    } else {
      item = written(coordinate, number, static_cast<std::uint16_t>(e + 1));
    }
    if (item.kind == Kind::none) return item;
    base = LaneArithmetic::generic({&base, &item});
  }
  return base;
}

LaneValue LaneEvaluator::operand(std::uint16_t number, std::uint16_t element) const {
  const Operand& operand = inst_.operands[number];
  if (operand.kind == OperandKind::vector && element < operand.elements.size())
    return written(operand.elements[element], number, element);
  return written(operand, number, element);
}

// An operand as a value of `width` bits: the low bits of a wider register, constants brought into place.
LaneValue LaneEvaluator::at_width(std::uint16_t number, unsigned width) const {
  return arithmetic_.truncate(operand(number), width);
}

LaneValue LaneEvaluator::generic(Interval range) const {
  LaneValue result = LaneValue::make_uniform(true);
  for (const RegisterOccurrence& item : context_.webs.table().of(index_)) {
    if (item.is_def || item.operand == guard_operand) continue;
    const LaneValue& value = context_.values[context_.webs.use(index_, item.operand, item.element)];
    if (value.kind == Kind::none) return value;
    result = LaneArithmetic::generic({&result, &value});
  }
  for (const Operand& operand : inst_.operands) {
    if (operand.kind != OperandKind::special) continue;
    const LaneValue value = value_of_special(context_.lanes, operand.special);
    result = LaneArithmetic::generic({&result, &value});
  }
  result.range = range;
  if (range.constant()) return LaneValue::constant(range.low, 64);
  return result;
}

LaneValue LaneEvaluator::result(const RegisterOccurrence& definition) {
  widening_ = {};
  bool reads_varying = false;
  for (const RegisterOccurrence& item : context_.webs.table().of(index_)) {
    if (item.is_def || item.operand == guard_operand || item.tied) continue;
    const Kind kind = context_.values[context_.webs.use(index_, item.operand, item.element)].kind;
    if (kind == Kind::none) return {};
    reads_varying |= kind == Kind::varying;
  }
  LaneValue value = dispatch(definition);
  if (value.kind == Kind::none) return value;
  // A constant that bounds alone tell, as of a varying value and 0, is left varying: a scalar could only be computed
  // from one lane's operands, and that lane may not be running.
  if (reads_varying && value.strided() && !combines_lanes(inst_.opcode)) {
    const Interval range = value.range;
    value = LaneValue::varying();
    value.range = range;
  }
  // Whatever the instruction made of it, the register holds so many bits.
  const unsigned width = width_of(context_.function.registers[definition.reg].type);
  return width < 64 && value.strided() ? arithmetic_.truncate(value, width) : value;
}

LaneValue LaneEvaluator::dispatch(const RegisterOccurrence& definition) {
  switch (inst_.opcode) {
    case Opcode::mov: return move(definition);
    case Opcode::cvta: return to_generic();
    case Opcode::add:
    case Opcode::sub:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::min:
    case Opcode::max:
    case Opcode::div:
    case Opcode::rem: return integer_arithmetic();
    case Opcode::mul:
    case Opcode::mul24: return product(false);
    case Opcode::mad:
    case Opcode::mad24: return product(true);
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_: return bitwise();
    case Opcode::shl:
    case Opcode::shr: return shift();
    case Opcode::bfe: return field_extract();
    case Opcode::selp: return select();
    case Opcode::setp: return compare();
    case Opcode::cvt: return convert(definition);
    case Opcode::ld:
    case Opcode::ldu: {
      const LaneValue from = address(inst_.operands[1], 1);
      return from.kind == Kind::none ? from : loaded_value(context_, inst_, from);
    }
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind:
      return generic(inst_.opcode == Opcode::bfind ? Interval{-1, 63, false} : Interval{0, 64, false});
    default:
      if (combines_lanes(inst_.opcode)) return warp_operation(definition);
      return is_each_lanes_own(inst_.opcode) ? LaneValue::varying() : generic();
  }
}

LaneValue LaneEvaluator::integer_arithmetic() {
  const Type type = inst_.d.type;
  if (!is_plain_integer(type) || inst_.d.sat || inst_.d.carry_out || inst_.d.relu) return generic();
  const unsigned width = bit_width(type);
  const bool sign = is_signed(type);
  const LaneValue a = at_width(1, width);
  if (inst_.opcode == Opcode::neg) return arithmetic_.negate(a, width);
  if (inst_.opcode == Opcode::abs) {
    const Interval range = a.range.as_signed(width);
    if (range.within(0, INT64_MAX)) return a;
    return generic(range.full ? Interval::any() : Interval{0, std::max(-range.low, range.high), false});
  }
  const LaneValue b = at_width(2, width);
  switch (inst_.opcode) {
    case Opcode::add: return arithmetic_.add(a, b, width);
    case Opcode::sub: return arithmetic_.subtract(a, b, width);
    case Opcode::min: return generic(minimum(a.range, b.range, sign, width));
    case Opcode::max: return generic(maximum(a.range, b.range, sign, width));
    case Opcode::div: return arithmetic_.divide(a, b, sign, width);
    default: return arithmetic_.remainder(a, b, sign, width);
  }
}

// mul, mad and their 24-bit forms; .wide extends the factors first.
LaneValue LaneEvaluator::product(bool accumulate) {
  const Type type = inst_.d.type;
  if (!is_plain_integer(type) || inst_.d.sat || inst_.d.carry_out || inst_.d.half == Half::hi) return generic();
  unsigned width = bit_width(type);
  const bool sign = is_signed(type);
  LaneValue a = at_width(1, width), b = at_width(2, width);
  if (inst_.opcode == Opcode::mul24 || inst_.opcode == Opcode::mad24) {
    const auto fits = [&](const LaneValue& x) {
      return sign ? x.range.as_signed(32).within(-(1 << 23), (1 << 23) - 1)
                  : x.range.as_unsigned(32).within(0, (1 << 24) - 1);
    };
    if (!fits(a) || !fits(b)) return generic();
  }
  if (inst_.d.half == Half::wide) {
    const bool a_first = !a.uniform();
    LaneValue& strided = a_first ? a : b;
    LaneValue& other = a_first ? b : a;
    bool unused = false;
    other = arithmetic_.extend(other, sign, width, width * 2, unused);
    if (!other.is_constant() && !strided.uniform()) return generic();
    strided = widen(strided, a_first ? 1 : 2, sign, width, width * 2);
    width *= 2;
  }
  const LaneValue result = arithmetic_.multiply(a, b, width);
  return accumulate ? arithmetic_.add(result, at_width(3, width), width) : result;
}

LaneValue LaneEvaluator::bitwise() {
  if (inst_.d.type == Type::pred) return generic();
  const unsigned width = bit_width(inst_.d.type);
  const LaneValue a = at_width(1, width);
  if (inst_.opcode == Opcode::not_) return arithmetic_.complement(a, width);
  const LaneValue b = at_width(2, width);
  if (inst_.opcode == Opcode::and_) return arithmetic_.bit_and(a, b, width);
  return arithmetic_.bit_or(a, b, width, inst_.opcode == Opcode::xor_);
}

LaneValue LaneEvaluator::shift() {
  const unsigned width = bit_width(inst_.d.type);
  const LaneValue a = at_width(1, width), count = at_width(2, 32);
  if (inst_.opcode == Opcode::shl) return arithmetic_.shift_left(a, count, width);
  return arithmetic_.shift_right(a, count, is_signed(inst_.d.type), width);
}

LaneValue LaneEvaluator::field_extract() {
  const unsigned width = bit_width(inst_.d.type);
  const LaneValue position = at_width(2, 32), length = at_width(3, 32);
  const bool constant = position.is_constant() && length.is_constant() && position.range.within(0, width - 1) &&
                        length.range.within(1, width - 1) && position.range.low + length.range.low < width;
  if (!constant || is_signed(inst_.d.type)) return generic();
  const LaneValue moved = arithmetic_.shift_right(at_width(1, width), position, false, width);
  return arithmetic_.bit_and(moved, LaneValue::constant((std::int64_t{1} << length.range.low) - 1, width), width);
}

LaneValue LaneEvaluator::select() const {
  const unsigned width = bit_width(inst_.d.type);
  const LaneValue a = at_width(1, width), b = at_width(2, width), condition = operand(3);
  LaneValue result = join(a, b, width);
  if (condition.uniform()) {
    result.block_uniform &= condition.block_uniform;
    return result;
  }
  if (a.is_constant() && a == b) return result;
  LaneValue varying = LaneValue::varying();
  varying.range = result.range;
  return varying;
}

// Equality of two values that move in step from lane to lane is the same in all lanes.
LaneValue LaneEvaluator::compare() const {
  const bool equality = inst_.d.compare == Compare::eq || inst_.d.compare == Compare::ne;
  if (!equality || !is_plain_integer(inst_.d.type) || inst_.d.bool_op != BoolOp::none) return generic();
  const auto first = static_cast<std::uint16_t>(inst_.operands.size() - 2);
  const unsigned width = bit_width(inst_.d.type);
  const LaneValue difference = arithmetic_.subtract(at_width(first, width), at_width(first + 1, width), width);
  return LaneArithmetic::generic({&difference});
}

LaneValue LaneEvaluator::warp_operation(const RegisterOccurrence& definition) const {
  const bool whole_warp = context_.lanes.lanes == 32;
  LaneValue uniform = LaneValue::make_uniform(false);
  const auto unless_varying = [&](std::uint16_t number) {
    return number >= inst_.operands.size() || !inst_.operands[number].present() || operand(number).uniform();
  };
  switch (inst_.opcode) {
    case Opcode::activemask: return uniform;
    case Opcode::vote: return unless_varying(2) ? uniform : LaneValue::varying();
    case Opcode::redux: return unless_varying(2) ? uniform : LaneValue::varying();
    case Opcode::match: return inst_.d.warp == WarpMode::all && unless_varying(3) ? uniform : LaneValue::varying();
    case Opcode::elect: return definition.operand == 0 && unless_varying(2) ? uniform : LaneValue::varying();
    case Opcode::bar:
    case Opcode::barrier: {
      // All threads of the barrier get the result; they are those of the block unless a count is given.
      uniform.block_uniform = !inst_.operands[2].present();
      return uniform;
    }
    case Opcode::shfl: {
      if (!whole_warp || definition.operand != 0) return LaneValue::varying();
      if (operand(2).uniform()) return uniform;
      const LaneValue source = operand(3), segments = operand(4);
      const bool one_segment = segments.is_constant() && segments.range.within(31, 31);
      const bool from_one = inst_.d.warp == WarpMode::idx && source.uniform() && one_segment && unless_varying(5);
      return from_one ? uniform : LaneValue::varying();
    }
    default: return LaneValue::varying();
  }
}

}  // namespace heddle::ptx::analysis
