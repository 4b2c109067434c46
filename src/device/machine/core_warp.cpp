// Warp operations among the members that take part.
#include <fmt/format.h>

#include <bit>

#include "device/machine/core.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::device::machine {

using ptx::ReduceOp;
using ptx::Type;
using ptx::WarpMode;
namespace semantics = ptx::semantics;

namespace {

std::uint32_t mask_of(std::span<Thread* const> members) {
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < members.size(); ++lane)
    if (members[lane]) mask |= 1u << lane;
  return mask;
}

}  // namespace

std::uint32_t Core::member_mask() {
  if (op_->action == Action::multiply) return ~std::uint32_t{0};
  const auto mask = static_cast<std::uint32_t>(read(op_->slots.size - 1).lo);
  if (!((mask >> thread_->lane()) & 1)) {
    fault(fmt::format("lane {} executes '{}' with the member mask {:#010x}, which does not name it", thread_->lane(),
                      ptx::name(inst_->opcode), mask));
  }
  return mask;
}

void Core::perform(Block& block, const LaneThreads& threads, LaneMask members, Effects& effects) {
  Thread* by_lane[warp_size] = {};
  for (LaneMask rest = members; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    by_lane[lane] = threads[lane];
    ++instructions_;
  }
  effects_ = &effects;
  enter(block, *threads[static_cast<unsigned>(std::countr_zero(members))]);
  effects.begin(op_);
  effects.ran = members;
  switch (op_->action) {
    case Action::shuffle: shuffle(by_lane); break;
    case Action::vote: vote(by_lane); break;
    case Action::match: match(by_lane); break;
    case Action::reduce: reduce(by_lane); break;
    case Action::elect: elect(by_lane); break;
    case Action::multiply: multiply(by_lane); break;
    case Action::meet: break;
    default: refuse();
  }
  for (Thread* member : by_lane) {
    if (!member) continue;
    enter(block, *member);
    if (machine_.options.step) report(member->frames.size());
    ++member->pc();
  }
}

void Core::shuffle(std::span<Thread* const> members) {
  std::uint32_t values[warp_size] = {}, b[warp_size] = {}, c[warp_size] = {};
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    const unsigned lane = member->lane();
    values[lane] = static_cast<std::uint32_t>(read_word(2));
    b[lane] = static_cast<std::uint32_t>(read_word(3)) & 31;
    c[lane] = static_cast<std::uint32_t>(read_word(4));
  }
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    const int lane = static_cast<int>(member->lane());
    const int segment = static_cast<int>((c[lane] >> 8) & 31), clamp = static_cast<int>(c[lane] & 31);
    const int delta = static_cast<int>(b[lane]);
    const int low = lane & segment, high = low | (clamp & ~segment);
    int from = 0;
    bool in_range = false;
    switch (inst_->d.warp) {
      case WarpMode::up:
        from = lane - delta;
        in_range = from >= high;
        break;
      case WarpMode::down:
        from = lane + delta;
        in_range = from <= high;
        break;
      case WarpMode::bfly:
        from = lane ^ delta;
        in_range = from <= high;
        break;
      default:
        from = low | (delta & ~segment);
        in_range = from <= high;
        break;
    }
    if (!in_range) from = lane;
    const bool there = from >= 0 && from < static_cast<int>(warp_size) && members[static_cast<unsigned>(from)];
    write(0, {values[there ? from : lane]});  // the value of a lane that takes no part is undefined: its own
    if (operand(1).present()) write(1, {in_range});
  }
}

void Core::vote(std::span<Thread* const> members) {
  std::uint32_t holding = 0;
  const std::uint32_t taking_part = mask_of(members);
  if (inst_->opcode == ptx::Opcode::activemask) {
    holding = taking_part;
  } else {
    for (Thread* member : members) {
      if (!member) continue;
      enter(*block_, *member);
      if (read_word(1) & 1) holding |= 1u << member->lane();
    }
  }
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    std::uint64_t result = holding;
    switch (inst_->d.warp) {
      case WarpMode::all: result = holding == taking_part; break;
      case WarpMode::any: result = holding != 0; break;
      case WarpMode::uni: result = holding == 0 || holding == taking_part; break;
      default: break;
    }
    write(0, {result});
  }
}

void Core::match(std::span<Thread* const> members) {
  const bool all = inst_->d.warp == WarpMode::all;
  const unsigned source = all ? 2 : 1;
  std::uint64_t values[warp_size] = {};
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    values[member->lane()] = read_word(source);
  }
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    std::uint32_t equal = 0;
    for (unsigned lane = 0; lane < members.size(); ++lane)
      if (members[lane] && values[lane] == values[member->lane()]) equal |= 1u << lane;
    const bool same = equal == mask_of(members);
    write(0, {all ? (same ? equal : 0) : equal});
    if (all && operand(1).present()) write(1, {same});
  }
}

void Core::reduce(std::span<Thread* const> members) {
  const Type type = inst_->d.type;
  bool first = true;
  std::uint64_t result = 0;
  semantics::MinMaxMode mode;
  mode.nan = inst_->d.nan;
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    std::uint64_t value = read_word(1);
    if (type == Type::f32 && inst_->has(ptx::Modifier::abs)) value &= 0x7fffffff;
    if (first) {
      result = value;
      first = false;
      continue;
    }
    switch (inst_->d.reduce) {
      case ReduceOp::add: result = semantics::integer_add(type, result, value, false); break;
      case ReduceOp::and_: result &= value; break;
      case ReduceOp::or_: result |= value; break;
      case ReduceOp::xor_: result ^= value; break;
      case ReduceOp::min:
        result = type == Type::f32 ? semantics::float_min(semantics::f32_format, result, value, mode)
                                   : semantics::integer_min_of(type, result, value);
        break;
      case ReduceOp::max:
        result = type == Type::f32 ? semantics::float_max(semantics::f32_format, result, value, mode)
                                   : semantics::integer_max_of(type, result, value);
        break;
      default: refuse();
    }
  }
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    write(0, {result});
  }
}

void Core::elect(std::span<Thread* const> members) {
  const auto leader = static_cast<unsigned>(std::countr_zero(mask_of(members)));
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    if (operand(0).present()) write(0, {leader});
    write(1, {member->lane() == leader});
  }
}

}  // namespace heddle::device::machine
