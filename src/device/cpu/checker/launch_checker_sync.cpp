// The part of the checker that follows fences, barriers and operations of warps.
#include <algorithm>
#include <new>

#include "device/cpu/checker/launch_checker.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned warp_threads = BlockClock::warp_threads;
// Operations of a warp that lanes are waited for in; more than a program that works can have at a time.
constexpr std::size_t most_gatherings = 64;

std::uint32_t all_lanes(const CheckedWarp& warp) { return warp.width >= warp_threads ? ~0u : (1u << warp.width) - 1; }

}  // namespace

// Lanes of the warp that the block has.
std::uint32_t LaunchChecker::there(const BlockClock& clock, unsigned warp) const {
  const std::uint32_t first = warp * warp_threads;
  const std::uint32_t rest = clock.threads() > first ? clock.threads() - first : 0;
  return rest >= warp_threads ? ~0u : (1u << rest) - 1;
}

void LaunchChecker::order(const CheckedWarp& warp, const std::uint32_t* members, std::uint32_t mask, OrderKind kind) {
  BlockClock& clock = warp.clock;
  if (clock.pending_acquires != 0) apply_acquires(clock);
  const unsigned number = warp.first_thread / warp_threads;
  switch (kind) {
    case OrderKind::fence_block:
    case OrderKind::fence_device:
      if (mask != 0)
        note_orders(warp, CheckedAccess::releases | CheckedAccess::acquires |
                              (kind == OrderKind::fence_block ? CheckedAccess::block_scope : 0));
      return;
    case OrderKind::lone_barrier: {
      if (warp.width >= clock.threads()) clock.all_met(tick());
      const unsigned shift = warp.first_thread % warp_threads;
      const std::uint32_t absent = there(clock, number) >> shift & all_lanes(warp) & ~mask;
      if (!checks_.sync || absent == 0 || mask == 0) return;
      Finding finding;
      finding.kind = Finding::Kind::exited_barrier;
      finding.absent = static_cast<std::uint32_t>(__builtin_popcount(absent));
      finding.place = {clock.block(), warp.first_thread + static_cast<std::uint32_t>(__builtin_ctz(mask)), warp.line};
      findings_.add(finding);
      return;
    }
    case OrderKind::aligned_barrier: return gather_at_barrier(warp, members, mask);
    case OrderKind::warp_barrier:
    case OrderKind::exchange:
    case OrderKind::together: break;
  }
  // Lanes with the same member mask are there together.
  const unsigned shift = warp.first_thread % warp_threads;
  for (std::uint32_t rest = mask; rest != 0;) {
    const std::uint32_t wanted = members[__builtin_ctz(rest)];
    std::uint32_t arrived = 0;
    for (std::uint32_t other = rest; other != 0; other &= other - 1)
      if (members[__builtin_ctz(other)] == wanted) arrived |= other & -other;
    rest &= ~arrived;
    arrived <<= shift;
    if (checks_.race && kind != OrderKind::together) clock.lanes_met(number, arrived, tick());
    if (checks_.sync) gather(warp, wanted, arrived, kind);
  }
}

// What a barrier itself orders, arrive() and complete() note.
void LaunchChecker::gather_at_barrier(const CheckedWarp& warp, const std::uint32_t* named, std::uint32_t mask) {
  if (mask == 0) return;
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(mask));
  std::uint32_t others = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    if (named[__builtin_ctz(rest)] != named[first]) others |= rest & -rest;
  if (others == 0)
    return gather(warp, ~0u, mask << warp.first_thread % warp_threads, OrderKind::aligned_barrier, named[first]);
  const auto other = static_cast<std::uint32_t>(__builtin_ctz(others));
  report_numbers(warp.clock, {~0u, 0, warp.line, warp.first_thread + first, true, named[first]},
                 {warp.line, warp.first_thread + other}, named[other]);
}

// Lanes run in step here, so nobody waits for those that are absent: they may come later, to another instruction. Those
// of one member mask come to all operations with it in the same order, so that the oldest that they have not been at is
// where the others of them wait.
void LaunchChecker::gather(const CheckedWarp& warp, std::uint32_t members, std::uint32_t arrived, OrderKind kind,
                           std::uint32_t named) {
  const bool is_barrier = kind == OrderKind::aligned_barrier;
  BlockClock& clock = warp.clock;
  const unsigned number = warp.first_thread / warp_threads;
  const std::uint32_t expected = members & there(clock, number);
  const bool is_complete = (expected & ~arrived) == 0;
  std::vector<BlockClock::Gathering>& all = clock.gatherings(number);
  bool& is_divergent = clock.is_divergent(number);
  is_divergent = is_divergent && arrived != there(clock, number);
  if (is_divergent || (is_complete && all.empty())) return;
  const auto found = std::find_if(all.begin(), all.end(), [&](const BlockClock::Gathering& g) {
    return g.members == members && g.is_barrier == is_barrier && (g.arrived & arrived) == 0;
  });
  const std::uint32_t thread = number * warp_threads + static_cast<std::uint32_t>(__builtin_ctz(arrived));
  if (found != all.end()) {
    if (!join_gathering(warp, *found, thread, named)) {
      all.clear();
      is_divergent = true;
      return;
    }
    found->arrived |= arrived;
    // What they did before comes before what any of them does now.
    if (checks_.race && kind != OrderKind::together && !is_barrier) clock.lanes_met(number, found->arrived, tick());
    if ((expected & ~found->arrived) == 0) all.erase(found);
    return;
  }
  if (is_complete) return;
  if (all.size() == most_gatherings) {
    report_absent(clock, all.front());
    all.erase(all.begin());
  }
  all.push_back({members, arrived, warp.line, thread, is_barrier, named});
}

// Whether the lanes execute one operation with those that are there; else it is reported.
bool LaunchChecker::join_gathering(const CheckedWarp& warp, const BlockClock::Gathering& gathering,
                                   std::uint32_t thread, std::uint32_t named) const {
  if (!join_lanes(warp.clock, {gathering.line, gathering.thread}, {warp.line, thread})) return false;
  if (named == gathering.named) return true;
  report_numbers(warp.clock, gathering, {warp.line, thread}, named);
  return false;
}

void LaunchChecker::report_numbers(const BlockClock& clock, const BlockClock::Gathering& first,
                                   const BlockClock::Arrival& now, std::uint32_t named) const {
  Finding finding;
  finding.kind = Finding::Kind::divergent_numbers;
  finding.named = named;
  finding.before_named = first.named;
  finding.place = {clock.block(), now.thread, now.line};
  finding.before = {clock.block(), first.thread, first.line};
  findings_.add(finding);
}

bool LaunchChecker::join_lanes(const BlockClock& clock, const BlockClock::Arrival& first,
                               const BlockClock::Arrival& now) const {
  if (first.line == now.line || !is_one_ || is_one_(first.line, now.line)) return true;
  if (checks_.sync) report_divergent(clock, Finding::Kind::divergent_lanes, first, now);
  return false;
}

void LaunchChecker::report_divergent(const BlockClock& clock, Finding::Kind kind, const BlockClock::Arrival& first,
                                     const BlockClock::Arrival& now) const {
  Finding finding;
  finding.kind = kind;
  finding.place = {clock.block(), now.thread, now.line};
  finding.before = {clock.block(), first.thread, first.line};
  findings_.add(finding);
}

void LaunchChecker::report_absent(BlockClock& clock, const BlockClock::Gathering& gathering) const {
  // Threads that do not come to a barrier of the whole block are reported when that is complete.
  if (gathering.is_barrier && gathering.named >> 16 == 0) return;
  Finding finding;
  finding.kind = gathering.is_barrier ? Finding::Kind::partial_barrier : Finding::Kind::absent_lanes;
  finding.members = gathering.members;
  finding.absent = gathering.members & there(clock, gathering.thread / warp_threads) & ~gathering.arrived;
  finding.place = {clock.block(), gathering.thread, gathering.line};
  findings_.add(finding);
}

void LaunchChecker::leave(BlockClock& clock) noexcept {
  if (!clock.has_gatherings() || !clock.is_of(number_, clock.block())) return;
  for (unsigned warp = 0; warp * warp_threads < clock.threads(); ++warp) {
    for (const BlockClock::Gathering& gathering : clock.gatherings(warp)) report_absent(clock, gathering);
    clock.gatherings(warp).clear();
  }
}

void LaunchChecker::arrive(const CheckedWarp& warp, unsigned barrier, bool counted, bool waits) {
  BlockClock& clock = warp.clock;
  if (clock.pending_acquires != 0) apply_acquires(clock);
  const BlockClock::Arrival now = {warp.line, warp.first_thread};
  if (counted) {
    const unsigned number = warp.first_thread / warp_threads;
    const std::uint32_t lanes = all_lanes(warp) << warp.first_thread % warp_threads;
    if (const auto first = clock.others_of_warp(barrier, number, lanes, now)) join_lanes(clock, *first, now);
    clock.arrive(barrier, number, waits, tick());
    return;
  }
  BlockClock::Arrival& first = clock.first_arrivals[barrier];
  if (first.line == 0) {
    first = now;
    return;
  }
  if (first.line == warp.line) return;
  clock.note_misaligned();
  const bool is_one = is_one_ && is_one_(first.line, now.line);
  if (checks_.sync && !is_one) report_divergent(clock, Finding::Kind::divergent_barrier, first, now);
}

void LaunchChecker::complete(BlockClock& clock, unsigned barrier, std::uint32_t exited) noexcept {
  const BlockClock::Arrival first = clock.first_arrivals[barrier];
  clock.first_arrivals[barrier] = {};
  if (clock.is_counted(barrier)) {
    clock.complete(barrier, tick());
    return;
  }
  clock.all_met(tick());
  if (!checks_.sync || exited == 0) return;
  Finding finding;
  finding.kind = Finding::Kind::exited_barrier;
  finding.absent = exited;
  finding.place = {clock.block(), first.thread, first.line};
  findings_.add(finding);
}

void LaunchChecker::lanes_met(BlockClock& clock, unsigned warp, std::uint32_t members, std::uint32_t arrived,
                              std::uint32_t there_now, std::uint32_t line) noexcept {
  try {
    if (checks_.race) clock.lanes_met(warp, arrived, tick());
  } catch (const std::bad_alloc&) {
    findings_.lose();
  }
  const std::uint32_t gone = members & there(clock, warp) & ~there_now;
  if (!checks_.sync || gone == 0) return;
  report_absent(clock, {members, arrived, line,
                        warp * warp_threads + static_cast<std::uint32_t>(__builtin_ctz(arrived)), false, 0});
}

}  // namespace heddle::device::cpu
