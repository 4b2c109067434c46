// The pipes of an SM: which are free, and for how long an instruction occupies one.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/sim/kernel_timing.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

class PipeSet {
 public:
  explicit PipeSet(const MachineDescription& machine);

  // The first cycle in which a scheduler can issue to such a pipe.
  Cycle free_at(PipeClass pipe, unsigned scheduler) const;
  // Issues for a warp of `width` threads: occupies a pipe that is free at `now`. Returns the cycles until a dependent
  // instruction can issue.
  Cycle occupy(const OpTiming& op, PipeClass pipe, unsigned scheduler, Cycle now, unsigned width);
  Cycle latency(PipeClass pipe) const { return classes_[static_cast<unsigned>(pipe)].latency; }
  // The pipe that executes an operation now: its own, or for multiplications the SFU if only that is free.
  PipeClass choose(const OpTiming& op, unsigned scheduler, Cycle now) const;
  // For how many cycles pipes of a class were occupied, and how many of them there are.
  std::uint64_t busy_cycles(PipeClass pipe) const { return busy_[static_cast<unsigned>(pipe)]; }
  unsigned count(PipeClass pipe) const;

 private:
  struct Class {
    unsigned first = 0, count = 1;  // in until_; shared or, if `split`, each scheduler's part of them
    bool split = false;
    Cycle latency = 1, interval = 1;
  };
  Class class_of(const Pipe& pipe, const Class& of_fma);
  // Begin and number of the pipes that the scheduler can use.
  std::pair<unsigned, unsigned> range(const Class& of, unsigned scheduler) const;
  std::size_t first_free(const Class& of, unsigned scheduler) const;

  unsigned schedulers_;
  unsigned sfu_multiply_interval_;
  std::array<Class, pipe_classes> classes_;
  std::vector<Cycle> until_;  // occupied, by pipe
  std::array<std::uint64_t, pipe_classes> busy_{};
};

}  // namespace heddle::device::sim
