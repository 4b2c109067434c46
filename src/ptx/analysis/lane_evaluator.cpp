#include "ptx/analysis/lane_evaluator.hpp"

#include <algorithm>
#include <bit>

namespace heddle::ptx::analysis {
namespace {

using Kind = LaneValue::Kind;

unsigned width_of(Type type) { return type == Type::pred ? 1 : std::max(1u, bit_width(type)); }

bool is_plain_integer(Type type) {
  return is_integer(type) || type == Type::b16 || type == Type::b32 || type == Type::b64 || type == Type::b8;
}

// Values that an integer loaded from memory can have.
Interval loaded_range(Type type, unsigned register_width) {
  const unsigned width = bit_width(type);
  return width < register_width && (is_integer(type) || is_bits(type)) ? all_of(is_signed(type), width)
                                                                       : Interval::any();
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

bool is_weak(const Instruction& inst) { return inst.d.order == Order::weak; }

}  // namespace

LaneEvaluator::LaneEvaluator(const Uniformity& state, const LaneArithmetic& arithmetic, std::uint32_t instruction)
    : state_(state), arithmetic_(arithmetic), index_(instruction), inst_(state.function_.body[instruction]) {}

LaneValue LaneEvaluator::of_use(std::uint16_t number, std::uint16_t element) const {
  const std::uint32_t web = state_.webs_.use(index_, number, element);
  if (web == no_web) return LaneValue::varying();
  return state_.values_[web];
}

LaneValue LaneEvaluator::extent(unsigned dimension) const {
  const LaneModel& model = state_.options_.lanes;
  LaneValue value =
      model.ntid[dimension] ? LaneValue::constant(*model.ntid[dimension], 32) : LaneValue::make_uniform(true);
  if (!model.ntid[dimension]) value.range = {1, model.ntid_limit[dimension], false};
  value.tag = LaneValue::Tag::ntid;
  return value;
}

LaneValue LaneEvaluator::thread_index(unsigned dimension) const {
  const LaneModel& model = state_.options_.lanes;
  const LaneModel::Tid& tid = model.tid[dimension];
  LaneValue value = LaneValue::varying();
  using Component = LaneModel::Component;
  if (tid.component != Component::varying) {
    value = LaneValue::make_uniform(model.ntid[dimension] == 1u);
    if (tid.component != Component::uniform)
      value.stride[static_cast<unsigned>(tid.component) - static_cast<unsigned>(Component::digit0)] = 1;
    value.base_zeros = tid.multiple == 0 ? std::uint8_t{64} : static_cast<std::uint8_t>(std::countr_zero(tid.multiple));
  }
  const std::uint32_t limit = model.ntid[dimension].value_or(model.ntid_limit[dimension]);
  value.range = {0, std::int64_t{limit} - 1, false};
  if (value.range.constant()) value = LaneValue::constant(0, 32);
  value.tag = LaneValue::Tag::tid;
  return value;
}

LaneValue LaneEvaluator::lane_number() const {
  const LaneModel& model = state_.options_.lanes;
  LaneValue value = LaneValue::make_uniform(false);
  value.stride = model.lane_strides();
  for (unsigned d = 0; d < digit_count; ++d)
    if (value.stride[d] >= model.lanes || (d == 1 && model.radix[1] == 1)) value.stride[d] = 0;
  if (model.lanes == 1) value.stride = {};
  value.base_zeros = model.lanes == 32 ? std::uint8_t{64} : static_cast<std::uint8_t>(std::countr_zero(model.lanes));
  value.range = {0, 31, false};
  return value;
}

// %tid, %ntid, %ctaid and %nctaid.
LaneValue LaneEvaluator::coordinate(SpecialRegister special) const {
  using S = SpecialRegister;
  const LaneModel& model = state_.options_.lanes;
  const unsigned which = static_cast<unsigned>(special) - static_cast<unsigned>(S::tid_x), dimension = which % 3;
  LaneValue value = LaneValue::make_uniform(true);
  switch (which / 3) {
    case 0: value = thread_index(dimension); break;
    case 1: value = extent(dimension); break;
    case 2:
      value.range = {0, std::int64_t{model.grid_limit[dimension]} - 1, false};
      value.tag = LaneValue::Tag::ctaid;
      break;
    default:
      value.range = {1, std::int64_t{model.grid_limit[dimension]}, false};
      value.tag = LaneValue::Tag::nctaid;
      break;
  }
  value.tag_dimension = static_cast<std::uint8_t>(dimension);
  return value;
}

LaneValue LaneEvaluator::special(SpecialRegister special) const {
  using S = SpecialRegister;
  static_assert(static_cast<unsigned>(S::nctaid_z) == static_cast<unsigned>(S::tid_x) + 11, "four triples in a row");
  if (special >= S::tid_x && special <= S::nctaid_z) return coordinate(special);
  if (special >= S::lanemask_eq && special <= S::lanemask_gt) return LaneValue::varying();
  if (special == S::laneid) return lane_number();
  if (special == S::warpsize) return LaneValue::constant(32, 32);
  // Counters and clocks are read at different times by different warps.
  const bool counter =
      (special >= S::pm0 && special <= S::pm7_64) || (special >= S::clock && special <= S::globaltimer_hi);
  LaneValue value = LaneValue::make_uniform(!counter && special != S::warpid && special != S::smid);
  if (special == S::warpid) value.range = {0, 31, false};
  return value;
}

LaneValue LaneEvaluator::written(const Operand& operand, std::uint16_t number, std::uint16_t element) const {
  switch (operand.kind) {
    case OperandKind::reg: {
      const LaneValue value = of_use(number, element);
      return operand.negated && value.kind != Kind::none ? LaneArithmetic::generic({&value}) : value;
    }
    case OperandKind::special: return special(operand.special);
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
    default: return LaneValue::make_uniform(true);  // literals and addresses of variables
  }
}

LaneValue LaneEvaluator::address(const Operand& operand, std::uint16_t number) const {
  if (operand.base != OperandKind::reg) return LaneValue::make_uniform(true);
  LaneValue base = of_use(number, 0);
  if (base.kind == Kind::none) return base;
  const std::uint32_t web = state_.webs_.use(index_, number, 0);
  const unsigned width = width_of(state_.webs_.web(web).type);
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

LaneValue LaneEvaluator::widen(const LaneValue& value, std::uint16_t number, bool is_signed, unsigned from,
                               unsigned to) {
  bool needs_check = false;
  LaneValue result = arithmetic_.extend(value, is_signed, from, to, needs_check);
  if (needs_check) widening_ = {true, number, is_signed, from};
  return result;
}

LaneValue LaneEvaluator::generic(Interval range) const {
  LaneValue result = LaneValue::make_uniform(true);
  for (const RegisterOccurrence& item : state_.webs_.table().of(index_)) {
    if (item.is_def || item.operand == guard_operand) continue;
    const LaneValue& value = state_.values_[state_.webs_.use(index_, item.operand, item.element)];
    if (value.kind == Kind::none) return value;
    result = LaneArithmetic::generic({&result, &value});
  }
  for (const Operand& operand : inst_.operands) {
    if (operand.kind != OperandKind::special) continue;
    const LaneValue value = special(operand.special);
    result = LaneArithmetic::generic({&result, &value});
  }
  result.range = range;
  if (range.constant()) return LaneValue::constant(range.low, 64);
  return result;
}

LaneValue LaneEvaluator::result(const RegisterOccurrence& definition) {
  widening_ = {};
  bool reads_varying = false;
  for (const RegisterOccurrence& item : state_.webs_.table().of(index_)) {
    if (item.is_def || item.operand == guard_operand || item.tied) continue;
    const Kind kind = state_.values_[state_.webs_.use(index_, item.operand, item.element)].kind;
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
  const unsigned width = width_of(state_.function_.registers[definition.reg].type);
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
    case Opcode::ldu: return load();
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

LaneValue LaneEvaluator::convert(const RegisterOccurrence& definition) {
  const Type to = inst_.d.type, from = inst_.d.type2;
  if (!is_integer(to) || !is_integer(from) || inst_.d.sat || inst_.operands.size() != 2) return generic();
  const unsigned from_width = bit_width(from), to_width = bit_width(to);
  const unsigned register_width = bit_width(state_.function_.registers[definition.reg].type);
  LaneValue value = at_width(1, from_width);
  if (to_width > from_width) value = widen(value, 1, is_signed(from), from_width, to_width);
  if (to_width < from_width) value = arithmetic_.truncate(value, to_width);
  if (register_width <= to_width) return value;
  if (widening_.present) return generic();  // two widenings of one value: not worth two checks
  return widen(value, 1, is_signed(to), to_width, register_width);
}

LaneValue LaneEvaluator::move(const RegisterOccurrence& definition) {
  const Operand& from = inst_.operands[1];
  const Operand& to = inst_.operands[0];
  const unsigned width = width_of(inst_.d.type);
  if (from.kind == OperandKind::vector) return generic();  // packing
  const LaneValue value = at_width(1, width);
  if (to.kind != OperandKind::vector) return value;
  const auto parts = static_cast<unsigned>(to.elements.size());
  if (width > 64) return generic();
  if (definition.element == 0) return arithmetic_.truncate(value, width / parts);
  const LaneValue count = LaneValue::constant(definition.element * (width / parts), 32);
  return arithmetic_.truncate(arithmetic_.shift_right(value, count, false, width), width / parts);
}

// A window's place among generic addresses is the same for all lanes, but for local memory, where each has its own.
LaneValue LaneEvaluator::to_generic() const {
  if (inst_.d.space == Space::local) return LaneValue::varying();
  LaneValue value = at_width(1, bit_width(inst_.d.type));
  if (value.is_constant()) value = LaneValue::make_uniform(true);
  value.range = {};
  value.base_zeros = 0;
  value.tag = LaneValue::Tag::none;
  return value;
}

LaneValue LaneEvaluator::load() const {
  const Operand& from = inst_.operands[1];
  LaneValue where = address(from, 1);
  if (where.kind == Kind::none) return where;
  LaneValue value = LaneArithmetic::generic({&where});
  const unsigned register_width = 64;
  value.range = loaded_range(inst_.d.type, register_width);
  const bool is_symbol = from.base == OperandKind::symbol;
  Space space = inst_.d.space;
  if (is_symbol && space == Space::generic) {
    if (from.symbol.kind == SymbolRef::Kind::module_variable) space = state_.module_.variables[from.symbol.index].space;
    if (from.symbol.kind == SymbolRef::Kind::local_variable)
      space = state_.function_.variables[from.symbol.index].space;
  }
  LaneValue unknown = LaneValue::varying();
  unknown.range = value.range;
  switch (space) {
    case Space::param:
      if (is_symbol && from.symbol.kind != SymbolRef::Kind::parameter) return unknown;  // the result of a call
      if (state_.function_.is_entry || state_.options_.uniform_parameters) return value;
      return unknown;
    case Space::constant: return value;
    case Space::local: return unknown;
    case Space::generic:
      if (state_.local_has_generic_addresses_) return unknown;
      break;
    default: break;
  }
  if (!is_weak(inst_)) return unknown;
  // Other threads of the block may load before or after somebody writes.
  value.block_uniform &= inst_.d.nc || inst_.opcode == Opcode::ldu;
  return value;
}

LaneValue LaneEvaluator::warp_operation(const RegisterOccurrence& definition) const {
  const bool whole_warp = state_.options_.lanes.lanes == 32;
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
