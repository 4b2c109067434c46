// Watches one SM: slots over time, cycles by instruction, and events for a trace.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "device/sim/observer.hpp"
#include "device/sim/record/line_counts.hpp"
#include "device/sim/record/thread_progress.hpp"
#include "device/sim/record/time_series.hpp"
#include "device/sim/record/trace_events.hpp"

namespace heddle::device::sim {

class SmRecorder final : public SmObserver {
 public:
  // `warps`: that an SM holds; `issue_interval`: of a scheduler, in cycles.
  SmRecorder(unsigned warps, unsigned issue_interval) : slots_(warps), issue_interval_(issue_interval) {}

  void issued(Cycle now, const IssueGroup& group, PipeClass pipe) override;
  void slots(Cycle begin, Cycle end, SlotUse use, unsigned bucket) override { series_.add(begin, end, use, bucket); }
  void left(Cycle now, const BlockContext& block) override;

  TimeSeries& series() { return series_; }
  TraceEvents& trace() { return trace_; }
  // Follows a block from now on; the others of the machine follow none.
  void follow_block(Cycle begin) {
    follows_ = true;
    progress_.begin(begin);
  }
  const ThreadProgress& progress() const { return progress_; }
  // What instructions of the launch cost so far.
  const FunctionCounts& counts(const GridWork& work) { return launches_[&work]; }
  void forget(const GridWork& work);

 private:
  struct Slot {
    const BlockContext* block = nullptr;  // of the warp that is here; null: none has issued yet
    Cycle last = 0;                       // it issued
    bool at_barrier = false;              // and what it issued was a barrier or an operation of the warp
  };
  Slot& slot_of(std::uint32_t warp);
  LineCount& line(const IssueGroup& group);
  void wait(const IssueGroup& group, LineCount& count, WarpUse use, Cycle from, Cycle to);

  std::vector<Slot> slots_;
  unsigned issue_interval_;
  TimeSeries series_;
  TraceEvents trace_;
  bool follows_ = false;
  ThreadProgress progress_;
  std::unordered_map<const GridWork*, FunctionCounts> launches_;
  // The list that was asked for last.
  const GridWork* work_ = nullptr;
  const machine::Code* code_ = nullptr;
  std::vector<LineCount>* lines_ = nullptr;
};

}  // namespace heddle::device::sim
