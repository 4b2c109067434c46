#include "device/cpu/meeting.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "device/cpu/launch_job.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned warp_threads = BarrierSet::warp_threads;

// Lanes of hardware warp `warp` that exist and have not left.
std::uint32_t present(const Block& block, unsigned warp) {
  std::uint32_t mask = 0;
  const unsigned first = warp * warp_threads;
  const unsigned last = std::min(first + warp_threads, block.warp_count);
  for (unsigned i = first; i < last; ++i)
    if (!block.warps[i].finished) mask |= 1u << (i - first);
  return mask;
}

void tell_checker(Block& block, unsigned warp, const Meeting& meeting, std::uint32_t there) {
  LaunchChecker* const checker = block.job->checker();
  if (checker == nullptr) return;
  const auto lane = static_cast<unsigned>(__builtin_ctz(meeting.arrived));
  const std::uint32_t line = block.warps[warp * warp_threads + lane].context.line;
  checker->lanes_met(*block.clock, warp, meeting.members, meeting.arrived, there, line);
}

// Lanes meet by their member mask alone. Whether their operations are one is for the checker.
void note_arrival(const Warp& warp, Meeting& meeting) {
  const BlockClock::Arrival now = {warp.context.line, warp.index};
  if (meeting.arrived == 0) meeting.first = now;
  const LaunchChecker* const checker = warp.block->job->checker();
  if (checker != nullptr) static_cast<void>(checker->join_lanes(*warp.block->clock, meeting.first, now));
}

// Gives every participant the values and makes those that wait ready; `now` is the lane that runs.
void complete(Block& block, unsigned warp, Meeting& meeting, int now) {
  tell_checker(block, warp, meeting, present(block, warp));
  for (unsigned lane = 0; lane < warp_threads; ++lane) {
    if ((meeting.arrived >> lane & 1) == 0) continue;
    Warp& participant = block.warps[warp * warp_threads + lane];
    for (unsigned i = 0; i < warp_threads; ++i)
      if ((meeting.arrived >> i & 1) != 0) meeting.outputs[lane][i] = meeting.values[i];
    participant.result = meeting.arrived;
    participant.waiting = Waiting::nothing;
    if (static_cast<int>(lane) != now) block.ready.set(participant.index);
  }
}

}  // namespace

bool arrive_at_meeting(Warp& warp, std::uint32_t members, std::uint64_t value, std::uint64_t* values) {
  Block& block = *warp.block;
  const unsigned hardware_warp = warp.index / warp_threads, lane = warp.index % warp_threads;
  members |= 1u << lane;
  std::vector<Meeting>& meetings = block.meetings[hardware_warp];
  auto found = std::find_if(meetings.begin(), meetings.end(),
                            [&](const Meeting& m) { return m.members == members && (m.arrived >> lane & 1) == 0; });
  if (found == meetings.end()) {
    meetings.emplace_back().members = members;  // may throw std::bad_alloc
    found = std::prev(meetings.end());
  }
  note_arrival(warp, *found);
  found->arrived |= 1u << lane;
  found->values[lane] = value;
  found->outputs[lane] = values;
  if ((members & present(block, hardware_warp) & ~found->arrived) == 0) {
    complete(block, hardware_warp, *found, static_cast<int>(lane));
    meetings.erase(found);
    return true;
  }
  warp.waiting = Waiting::meeting;
  return false;
}

void arrive_at_gathering(Warp& warp) {
  Block& block = *warp.block;
  const unsigned hardware_warp = warp.index / warp_threads;
  auto found = std::find_if(block.gatherings.begin(), block.gatherings.end(), [&](const Gathering& gathering) {
    return gathering.site == warp.site && gathering.warp == hardware_warp;
  });
  if (found == block.gatherings.end())
    found = block.gatherings.insert(
        found, Gathering{.site = warp.site, .line = warp.context.line, .warp = hardware_warp});  // may throw bad_alloc
  found->arrived |= 1u << warp.index % warp_threads;
  found->rounds = 0;
  warp.waiting = Waiting::meeting;
}

bool complete_gatherings(Block& block) {
  // Lanes that spin look again once: what they wait for may be there. Those that go on spinning, as at a lock, are not
  // where the others are.
  constexpr unsigned patience = 2;
  bool any = false;
  const auto spins = [&](unsigned warp) {
    bool some = false;
    block.spinning.for_each(block.words, [&](unsigned i) { some = some || i / warp_threads == warp; });
    return some;
  };
  // Of a warp's gatherings, the one that comes first in the code: its lanes may yet come to the others.
  std::vector<Gathering>& all = block.gatherings;
  for (Gathering& gathering : all)
    gathering.is_first = std::none_of(all.begin(), all.end(), [&](const Gathering& other) {
      return other.warp == gathering.warp && other.line < gathering.line;
    });
  std::erase_if(all, [&](Gathering& gathering) {
    if (!gathering.is_first) return false;
    if (spins(gathering.warp) && ++gathering.rounds < patience) return false;
    any = true;
    for (std::uint32_t rest = gathering.arrived; rest != 0; rest &= rest - 1) {
      Warp& lane = block.warps[gathering.warp * warp_threads + static_cast<unsigned>(__builtin_ctz(rest))];
      lane.result = gathering.arrived;
      lane.waiting = Waiting::nothing;
      block.ready.set(lane.index);
    }
    return true;
  });
  return any;
}

void leave_meetings(Warp& warp) {
  Block& block = *warp.block;
  const unsigned hardware_warp = warp.index / warp_threads;
  std::vector<Meeting>& meetings = block.meetings[hardware_warp];
  const std::uint32_t there = present(block, hardware_warp);
  for (auto it = meetings.begin(); it != meetings.end();) {
    if ((it->members & there & ~it->arrived) != 0) {
      ++it;
      continue;
    }
    complete(block, hardware_warp, *it, -1);
    it = meetings.erase(it);
  }
}

}  // namespace heddle::device::cpu
