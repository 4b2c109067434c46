// Instructions that execute for all lanes at once: registers are rows of words, one for each lane.
#include <array>
#include <bit>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "device/machine/core.hpp"
#include "device/machine/row_group.hpp"

namespace heddle::device::machine {
namespace {

// While it lives, the host rounds to the nearest and keeps subnormal numbers, whatever the program has chosen.
class DefaultFloats {
#if defined(__x86_64__)
 public:
  explicit DefaultFloats(bool needed) : was_(needed ? _mm_getcsr() : usual) {
    if ((was_ & ~flags) != usual) _mm_setcsr(usual);
  }
  ~DefaultFloats() {
    if ((was_ & ~flags) != usual) _mm_setcsr(was_);
  }

 private:
  static constexpr unsigned usual = 0x1f80, flags = 0x3f;  // of the control and status register
  const unsigned was_;
#else
 public:
  explicit DefaultFloats(bool) {}
#endif
};

}  // namespace

// The row of a source; `buffer` where the registers do not have it.
const std::uint64_t* Core::source_row(const RowSource& source, const RowGroup& group, LaneMask lanes, Row& buffer) {
  if (source.kind == RowSource::Kind::constant) {
    buffer.fill(source.value);
    return buffer.data();
  }
  if (source.kind == RowSource::Kind::reg && group.registers && !source.negated)
    return group.registers + std::size_t{source.reg} * row_lanes;
  buffer.fill(0);
  for_each_lane(lanes, [&](unsigned lane) {
    if (source.kind == RowSource::Kind::reg) {
      buffer[lane] = group.threads[lane]->frame().registers.low(source.reg) ^ (source.negated ? 1u : 0u);
    } else {
      thread_ = group.threads[lane];
      buffer[lane] = read(operand(source.operand), source.type).lo;
    }
  });
  return buffer.data();
}

void Core::compute_rows(const RowGroup& group, LaneMask lanes) {
  const RowOp& row = op_->row;
  const std::uint64_t* sources[RowOp::most_sources] = {};
  std::array<Row, RowOp::most_sources> buffers;
  for (unsigned i = 0; i < RowOp::most_sources && row.sources[i].kind != RowSource::Kind::none; ++i)
    sources[i] = source_row(row.sources[i], group, lanes, buffers[i]);
  Row result;
  const DefaultFloats floats(row.host_floats);
  row.function(sources[0], sources[1], sources[2], result.data());
  if (row.then) {
    Row joined;
    row.then(result.data(), nullptr, sources[2], joined.data());
    result = joined;
  }
  group.write(row.target, row.finish, result.data(), lanes);
}

void Core::branch_rows(const RowGroup& group, LaneMask lanes, LaneMask taken) {
  const std::uint32_t target = function_->labels[operand(0).index].position, next = thread_->pc() + 1;
  if (taken != lanes) group.move_to(next, lanes & ~taken);
  group.move_to(target, taken);
  effects_->branched = taken;
  for (unsigned lane = 0; lane < row_lanes; ++lane) effects_->target[lane] = target;
}

// Executes the operation for all lanes at once. False: nothing has happened, it must execute lane by lane.
bool Core::step_rows(const LaneThreads& threads, LaneMask lanes) {
  const RowGroup group(*block_, threads, *thread_, lanes);
  const ptx::Guard& guard = inst_->guard;
  const LaneMask runs = guard.present ? group.holding(guard.reg, guard.negated, lanes) : lanes;
  const std::uint32_t next = thread_->pc() + 1;
  if (op_->row.kind == RowKind::branch) {
    branch_rows(group, lanes, runs);
  } else {
    if (runs != 0) {
      thread_ = threads[static_cast<unsigned>(std::countr_zero(runs))];
      switch (op_->row.kind) {
        case RowKind::compute: compute_rows(group, runs); break;
        case RowKind::load:
          if (!load_rows(group, runs)) return false;
          break;
        case RowKind::store:
          if (!store_rows(group, runs)) return false;
          break;
        default: break;
      }
    }
    group.move_to(next, lanes);
  }
  effects_->ran = runs;
  instructions_ += static_cast<unsigned>(std::popcount(lanes));
  return true;
}

}  // namespace heddle::device::machine
