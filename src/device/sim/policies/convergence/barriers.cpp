#include "device/sim/policies/convergence/barriers.hpp"

#include <algorithm>
#include <bit>

#include "device/sim/policies/reconvergence.hpp"

namespace heddle::device::sim {

using machine::Thread;
using machine::ThreadState;

ConvergenceBarriers::ConvergenceBarriers(const machine::LaneThreads& threads, LaneMask lanes, ProgramTiming& timing,
                                         PolicyCounts& counts)
    : threads_(threads), timing_(timing), counts_(counts) {
  splits_.push_back({place_of(*threads[static_cast<unsigned>(std::countr_zero(lanes))]), lanes, 0});
}

LaneMask ConvergenceBarriers::live(LaneMask lanes) const {
  LaneMask result = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (threads_[lane]->state != ThreadState::exited) result |= LaneMask{1} << lane;
  }
  return result;
}

// By place: those that have jumped first.
ConvergenceBarriers::Parts ConvergenceBarriers::parts_of(LaneMask lanes, LaneMask taken) const {
  Parts parts;
  const auto add = [&](LaneMask some) {
    for (; some != 0; some &= some - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(some));
      const Thread& thread = *threads_[lane];
      const LaneMask bit = LaneMask{1} << lane;
      if (thread.state == ThreadState::exited) continue;
      if (thread.state != ThreadState::runnable) {
        parts.waiting |= bit;
        continue;
      }
      const Place place = place_of(thread);
      const auto same = std::find_if(parts.running.begin(), parts.running.end(),
                                     [&](const Split& split) { return split.at == place; });
      if (same == parts.running.end())
        parts.running.push_back({place, bit, 0});
      else
        same->mask |= bit;
    }
  };
  add(lanes & taken);
  add(lanes & ~taken);
  return parts;
}

// All threads of a split are members of the same barriers.
ConvergenceBarriers::Barrier* ConvergenceBarriers::innermost(LaneMask lanes) {
  const auto found = std::find_if(barriers_.rbegin(), barriers_.rend(),
                                  [&](const Barrier& barrier) { return (barrier.members & lanes) != 0; });
  return found == barriers_.rend() ? nullptr : &*found;
}

// A split is at its place: it waits there if that is the join of its innermost barrier.
void ConvergenceBarriers::come(const Split& split, bool first) {
  Barrier* const barrier = innermost(split.mask);
  if (barrier && barrier->join == split.at) {
    barrier->arrived |= split.mask;
    return;
  }
  splits_.insert(first ? splits_.begin() : splits_.end(), split);
}

// Whether all members have come, exited, or wait for other threads, so that their coming may depend on those here.
bool ConvergenceBarriers::is_complete(const Barrier& barrier) const {
  LaneMask waiting = 0;
  for (const LaneMask lanes : waiting_) waiting |= lanes;
  return (live(barrier.members) & ~barrier.arrived & ~waiting) == 0;
}

void ConvergenceBarriers::release_complete() {
  for (std::size_t i = barriers_.size(); i-- > 0;) {
    if (i >= barriers_.size() || !is_complete(barriers_[i])) continue;
    const Barrier barrier = barriers_[i];
    barriers_.erase(barriers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (barrier.arrived == 0) continue;
    ++counts_[PolicyEvent::joined];
    come({barrier.join, barrier.arrived, 0}, true);
    i = barriers_.size();  // it may have come to the join of an outer one
  }
}

void ConvergenceBarriers::retire_to(std::uint32_t pc) {
  Split& split = splits_.front();
  split.at.pc = pc;
  if (barriers_.empty()) return;
  const Barrier* const barrier = innermost(split.mask);
  if (!barrier || barrier->join != split.at) return;
  const Split moved = split;
  splits_.erase(splits_.begin());
  come(moved, true);
  release_complete();
}

void ConvergenceBarriers::retire(LaneMask taken) {
  const Split split = splits_.front();
  const Parts parts = parts_of(split.mask, taken);
  splits_.erase(splits_.begin());
  const std::size_t count = parts.running.size() + (parts.waiting != 0 ? 1 : 0);
  if (count > 1) {
    counts_[PolicyEvent::parted] += count - 1;
    const Place join = reconvergence_of(threads_, split.mask, split.at, timing_);
    const Barrier* const around = innermost(split.mask);
    if (join.code != nullptr && (!around || around->join != join)) barriers_.push_back({join, live(split.mask), 0});
  }
  if (parts.waiting != 0) waiting_.push_back(parts.waiting);
  for (std::size_t i = parts.running.size(); i-- > 0;) {
    Split part = parts.running[i];
    part.turns = split.turns;
    come(part, true);
  }
  if (!barriers_.empty()) release_complete();
}

void ConvergenceBarriers::resume() {
  std::vector<LaneMask> moved;
  for (LaneMask& waiting : waiting_) {
    LaneMask on = 0;
    for (LaneMask rest = waiting; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const ThreadState state = threads_[lane]->state;
      if (state == ThreadState::runnable || state == ThreadState::exited) on |= LaneMask{1} << lane;
    }
    waiting &= ~on;
    if (on != 0) moved.push_back(on);
  }
  std::erase(waiting_, LaneMask{0});
  for (const LaneMask lanes : moved)
    for (const Split& part : parts_of(lanes, 0).running) come(part, false);
  if (!barriers_.empty()) release_complete();
}

bool ConvergenceBarriers::yield() {
  if (splits_.empty()) return false;
  Split split = splits_.front();
  ++split.turns;
  splits_.erase(splits_.begin());
  const bool all_have =
      std::all_of(splits_.begin(), splits_.end(), [&](const Split& s) { return s.turns >= split.turns; });
  bool changes = !splits_.empty();
  if (all_have) {
    for (Barrier* barrier = innermost(split.mask); barrier; barrier = innermost(split.mask)) {
      barrier->members &= ~split.mask;
      changes = true;
      const LaneMask arrived = barrier->arrived;
      release_complete();
      if (arrived != 0) break;
    }
  }
  splits_.push_back(split);
  std::stable_sort(splits_.begin(), splits_.end(), [](const Split& a, const Split& b) { return a.turns < b.turns; });
  return changes;
}

}  // namespace heddle::device::sim
