// Rows of units that warps of 64 threads occupy, all pipes of a class side by side (Simultaneous Branch and Warp
// Interweaving, section 2.1: MAD, SFU, LSU).
#pragma once

#include <array>

#include "device/sim/kernel_timing.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

class RowSet {
 public:
  explicit RowSet(const MachineDescription& machine);
  // Instructions of these classes use one row if it is the same number.
  unsigned row(PipeClass pipe) const { return classes_[static_cast<unsigned>(pipe)].row; }
  Cycle free_at(unsigned row) const { return until_[row]; }
  // A warp's instruction occupies its row for as many cycles as it has fewer lanes than the warp has threads.
  void occupy(const OpTiming& op, Cycle now);
  std::uint64_t busy_cycles(PipeClass pipe) const { return busy_[static_cast<unsigned>(pipe)]; }
  Cycle interval(PipeClass pipe) const { return classes_[static_cast<unsigned>(pipe)].interval; }

 private:
  struct Class {
    unsigned row = 0;
    Cycle interval = 1;
  };
  std::array<Class, pipe_classes> classes_;
  std::array<Cycle, pipe_classes> until_{};
  std::array<std::uint64_t, pipe_classes> busy_{};
};

}  // namespace heddle::device::sim
