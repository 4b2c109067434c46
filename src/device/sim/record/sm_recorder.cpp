#include "device/sim/record/sm_recorder.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {

LineCount& SmRecorder::line(const IssueGroup& group) {
  const GridWork* work = &group.block->work;
  const machine::Code* code = group.at.code;
  if (work != work_ || code != code_) {
    work_ = work;
    code_ = code;
    lines_ = &launches_[work][code->index];
    lines_->resize(code->operations.size() + 1);  // the last one: the return at the end of the text
  }
  return (*lines_)[group.at.pc];
}

// Blocks that give way to others have numbers beyond those of the machine's warps.
SmRecorder::Slot& SmRecorder::slot_of(std::uint32_t warp) {
  if (warp >= slots_.size()) slots_.resize(warp + std::size_t{1});
  return slots_[warp];
}

void SmRecorder::wait(const IssueGroup& group, LineCount& count, WarpUse use, Cycle from, Cycle to) {
  if (from >= to) return;
  count.cycles[static_cast<unsigned>(use)] += to - from;
  if (use == WarpUse::issue || !trace_.wants(from)) return;
  trace_.add({.begin = from,
              .cycles = static_cast<std::uint32_t>(to - from),
              .warp = group.slot,
              .code = group.at.code,
              .pc = group.at.pc,
              .kind = TraceEvent::Kind::wait,
              .detail = static_cast<std::uint8_t>(use)});
}

void SmRecorder::issued(Cycle now, const IssueGroup& group, PipeClass pipe) {
  if (follows_) progress_.issued(now, group);
  LineCount& count = line(group);
  Slot& slot = slot_of(group.slot);
  const bool begins = slot.block != group.block;
  const Cycle from = begins ? std::min(group.not_before, now) : slot.last;
  const Cycle issue_end = begins ? from : std::min(from + issue_interval_, now);
  const Cycle control_end = std::clamp(group.not_before, issue_end, now);
  const Cycle data_end = std::clamp(group.ready, control_end, now);
  wait(group, count, WarpUse::issue, from, issue_end);
  wait(group, count, slot.at_barrier && !begins ? WarpUse::barrier : WarpUse::control, issue_end, control_end);
  wait(group, count, group.wait == Wait::memory ? WarpUse::memory : WarpUse::result, control_end, data_end);
  wait(group, count, WarpUse::pipeline, data_end, now);
  ++count.issues;
  count.lanes += static_cast<unsigned>(std::popcount(group.mask));
  const bool last = group.at.pc >= group.at.code->operations.size();
  slot = {group.block, now, !last && group.at.code->operations[group.at.pc].involves != machine::Involves::none};
  if (trace_.wants(now))
    trace_.add({.begin = now,
                .cycles = issue_interval_,
                .warp = group.slot,
                .code = group.at.code,
                .pc = group.at.pc,
                .lanes = group.mask,
                .kind = TraceEvent::Kind::issue,
                .detail = static_cast<std::uint8_t>(pipe)});
}

void SmRecorder::left(Cycle now, const BlockContext& block) {
  if (follows_) progress_.left(now, block);
  for (const WarpContext& warp : block.warps) {
    slot_of(warp.slot) = {};
    if (trace_.wants(now)) trace_.add({.begin = now, .warp = warp.slot, .kind = TraceEvent::Kind::exit});
  }
}

void SmRecorder::forget(const GridWork& work) {
  launches_.erase(&work);
  work_ = nullptr;
  code_ = nullptr;
}

}  // namespace heddle::device::sim
