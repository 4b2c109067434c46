#include "device/sim/pipes.hpp"

#include <algorithm>

#include "device/machine/block.hpp"

namespace heddle::device::sim {

PipeSet::PipeSet(const MachineDescription& machine)
    : schedulers_(std::max(machine.front.schedulers, 1u)), sfu_multiply_interval_(machine.pipes.sfu_multiply_interval) {
  const Pipes& pipes = machine.pipes;
  Pipe fma = pipes.fma;
  fma.count = std::max(fma.count, 1u);
  const Class of_fma = class_of(fma, {});
  const auto set = [&](PipeClass pipe, const Pipe& of) {
    classes_[static_cast<unsigned>(pipe)] = class_of(of, of_fma);
  };
  classes_[static_cast<unsigned>(PipeClass::fma)] = of_fma;
  set(PipeClass::alu, pipes.alu);
  set(PipeClass::fp64, pipes.fp64);
  set(PipeClass::sfu, pipes.sfu);
  set(PipeClass::lsu, pipes.lsu);
  set(PipeClass::branch, pipes.branch);
  set(PipeClass::tensor, pipes.tensor);
}

PipeSet::Class PipeSet::class_of(const Pipe& pipe, const Class& of_fma) {
  Class result = of_fma;
  result.latency = pipe.latency;
  result.interval = std::max(pipe.interval, 1u);
  if (pipe.count == 0) return result;
  result.first = static_cast<unsigned>(until_.size());
  result.count = pipe.count;
  result.split = pipe.count % schedulers_ == 0;
  until_.resize(until_.size() + pipe.count);
  return result;
}

std::pair<unsigned, unsigned> PipeSet::range(const Class& of, unsigned scheduler) const {
  if (!of.split) return {of.first, of.count};
  const unsigned each = of.count / schedulers_;
  return {of.first + scheduler * each, each};
}

std::size_t PipeSet::first_free(const Class& of, unsigned scheduler) const {
  const auto [first, count] = range(of, scheduler);
  const auto begin = until_.begin() + first;
  return static_cast<std::size_t>(std::min_element(begin, begin + count) - until_.begin());
}

Cycle PipeSet::free_at(PipeClass pipe, unsigned scheduler) const {
  return until_[first_free(classes_[static_cast<unsigned>(pipe)], scheduler)];
}

PipeClass PipeSet::choose(const OpTiming& op, unsigned scheduler, Cycle now) const {
  if (op.multiplies && sfu_multiply_interval_ != 0 && free_at(op.pipe, scheduler) > now &&
      free_at(PipeClass::sfu, scheduler) <= now)
    return PipeClass::sfu;
  return op.pipe;
}

Cycle PipeSet::occupy(const OpTiming& op, PipeClass pipe, unsigned scheduler, Cycle now, unsigned width) {
  const Class& of = classes_[static_cast<unsigned>(pipe)];
  const Cycle whole = pipe == op.pipe ? occupied(op, of.interval) : sfu_multiply_interval_;
  const Cycle interval = std::max<Cycle>(whole * width / machine::warp_size, 1);
  until_[first_free(of, scheduler)] = now + interval;
  busy_[static_cast<unsigned>(pipe)] += interval;
  return of.latency;
}

unsigned PipeSet::count(PipeClass pipe) const { return classes_[static_cast<unsigned>(pipe)].count; }

}  // namespace heddle::device::sim
