// Warp operations among the members that take part, and what a barrier instruction asks for.
#include <bit>

#include <fmt/format.h>

#include "device/interp/executor.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::device::interp {

using ptx::Opcode;
using ptx::ReduceOp;
using ptx::Type;
using ptx::WarpMode;
namespace semantics = ptx::semantics;

namespace {

constexpr unsigned warp_size = 32;

std::uint32_t mask_of(std::span<Thread* const> members) {
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < members.size(); ++lane)
    if (members[lane]) mask |= 1u << lane;
  return mask;
}

}  // namespace

std::uint32_t Executor::member_mask(Block& block, Thread& thread) {
  enter(block, thread);
  const auto mask = static_cast<std::uint32_t>(read(slots_->size - 1).lo);
  if (!((mask >> thread.lane()) & 1)) {
    fault(fmt::format("lane {} executes '{}' with the member mask {:#010x}, which does not name it", thread.lane(),
                      ptx::name(inst_->opcode), mask));
  }
  return mask;
}

void Executor::warp_operation(Block& block, std::span<Thread* const> members) {
  Thread* first = nullptr;
  for (Thread* member : members) {
    if (!member) continue;
    if (!first) first = member;
    ++launch_.instructions;
  }
  if (!first) return;
  enter(block, *first);
  switch (inst_->opcode) {
    case Opcode::shfl: shuffle(members); break;
    case Opcode::vote:
    case Opcode::activemask: vote(members); break;
    case Opcode::match: match(members); break;
    case Opcode::redux: reduce(members); break;
    case Opcode::elect: elect(members); break;
    case Opcode::bar: break;  // bar.warp.sync: having met is all
    default: refuse();
  }
  for (Thread* member : members) {
    if (!member) continue;
    report(block, *member, member->frames.size());
    ++member->frame().pc;
  }
}

void Executor::shuffle(std::span<Thread* const> members) {
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

void Executor::vote(std::span<Thread* const> members) {
  std::uint32_t holding = 0;
  const std::uint32_t taking_part = mask_of(members);
  if (inst_->opcode == Opcode::activemask) {
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

void Executor::match(std::span<Thread* const> members) {
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

void Executor::reduce(std::span<Thread* const> members) {
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

void Executor::elect(std::span<Thread* const> members) {
  const auto leader = static_cast<unsigned>(std::countr_zero(mask_of(members)));
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    if (operand(0).present()) write(0, {leader});
    write(1, {member->lane() == leader});
  }
}

Executor::BarrierUse Executor::barrier_use(Block& block, Thread& thread) {
  enter(block, thread);
  BarrierUse use;
  use.waits = !inst_->has(ptx::Modifier::arrive);
  use.has_predicate = inst_->has(ptx::Modifier::red);
  const unsigned first = use.has_predicate ? 1 : 0;
  use.id = static_cast<std::uint32_t>(read_word(first));
  if (operand(first + 1).present()) {
    use.threads = static_cast<std::uint32_t>(read_word(first + 1));
    if (use.threads == 0 || use.threads % warp_size != 0)
      fault(fmt::format("a barrier for {} threads; the number must be a multiple of {}", use.threads, warp_size));
  }
  if (use.id >= Block::barrier_count) fault(fmt::format("barrier {} does not exist; there are 0 to 15", use.id));
  if (use.has_predicate) use.predicate = read_word(3) & 1;
  return use;
}

void Executor::leave_barrier(Block& block, Thread& thread, const Barrier& barrier) {
  enter(block, thread);
  if (inst_->has(ptx::Modifier::red)) {
    std::uint64_t result = barrier.holding;
    if (inst_->d.reduce == ReduceOp::and_) result = barrier.holding == barrier.arrived;
    if (inst_->d.reduce == ReduceOp::or_) result = barrier.holding != 0;
    write(0, {result});
  }
  report(block, thread, thread.frames.size());
  ++thread.frame().pc;
}

}  // namespace heddle::device::interp
