#include "device/sim/rows.hpp"

#include <algorithm>

namespace heddle::device::sim {
namespace {

constexpr unsigned warps_side_by_side = 2;

}  // namespace

RowSet::RowSet(const MachineDescription& machine) {
  const Pipes& pipes = machine.pipes;
  const unsigned fma_count = std::max(pipes.fma.count, 1u);
  const auto set = [&](PipeClass pipe, const Pipe& of) {
    const bool shares = of.count == 0;  // the FMA units execute it
    const unsigned count = shares ? fma_count : of.count;
    const Cycle interval = (Cycle{std::max(of.interval, 1u)} * warps_side_by_side + count - 1) / count;
    classes_[static_cast<unsigned>(pipe)] = {static_cast<unsigned>(shares ? PipeClass::fma : pipe),
                                             std::max<Cycle>(interval, 1)};
  };
  set(PipeClass::alu, pipes.alu);
  set(PipeClass::fma, pipes.fma);
  set(PipeClass::fp64, pipes.fp64);
  set(PipeClass::sfu, pipes.sfu);
  set(PipeClass::lsu, pipes.lsu);
  set(PipeClass::branch, pipes.branch);
  set(PipeClass::tensor, pipes.tensor);
}

void RowSet::occupy(const OpTiming& op, Cycle now) {
  const Class& of = classes_[static_cast<unsigned>(op.pipe)];
  const Cycle interval = occupied(op, of.interval);
  until_[of.row] = std::max(until_[of.row], now + interval);
  busy_[static_cast<unsigned>(op.pipe)] += interval;
}

}  // namespace heddle::device::sim
