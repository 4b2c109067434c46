// What may watch a simulated machine: an object for each SM, which is told what issues and what schedulers do, and one
// for the machine. Without one the simulation pays a test of a pointer.
#pragma once

#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"
#include "device/sim/memory_model.hpp"
#include "device/sim/statistics.hpp"

namespace heddle::device::sim {

// Called by the thread that simulates the SM.
class SmObserver {
 public:
  virtual ~SmObserver() = default;
  // The group issues the instruction at its place now, to this pipe. Its `not_before`, `ready` and `wait` still say for
  // what it has waited. It has not been executed.
  virtual void issued(Cycle now, const IssueGroup& group, PipeClass pipe) = 0;
  // A scheduler was used so in the cycles from `begin` to before `end`. `bucket`: of lane_bucket_name().
  virtual void slots(Cycle begin, Cycle end, SlotUse use, unsigned bucket) = 0;
  // The block leaves the SM.
  virtual void left(Cycle now, const BlockContext& block) = 0;
};

// Called by one thread at a time, while no SM is being simulated.
class GpuObserver {
 public:
  virtual ~GpuObserver() = default;
  virtual SmObserver& sm(unsigned index) = 0;
  // A launch comes to a machine that had none.
  virtual void begin(Cycle now) = 0;
  virtual void epoch(Cycle now, const MemoryModel& memory) = 0;
};

}  // namespace heddle::device::sim
