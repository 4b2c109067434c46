#include "device/sim/policies/pdom_stack.hpp"

#include <algorithm>
#include <bit>

#include "device/sim/policies/reconvergence.hpp"

namespace heddle::device::sim {

using machine::Thread;
using machine::ThreadState;

namespace {

constexpr std::size_t none = ~std::size_t{0};

template <class F>
void for_each_lane(LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace

PdomStack::PdomStack(const machine::LaneThreads& threads, LaneMask mask, ProgramTiming& timing)
    : threads_(threads), timing_(timing) {
  const Thread& first = *threads[static_cast<unsigned>(std::countr_zero(mask))];
  entries_.push_back({place_of(first), mask, {}, false});
}

std::size_t PdomStack::current_index() const {
  LaneMask above = 0;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (!entries_[i].waits && (entries_[i].mask & above) == 0) return i;
    above |= entries_[i].mask;
  }
  return none;
}

const PdomStack::Entry* PdomStack::current() const {
  const std::size_t index = current_index();
  return index == none ? nullptr : &entries_[index];
}

void PdomStack::retire_to(std::uint32_t pc) {
  const std::size_t index = current_index();
  entries_[index].next.pc = pc;
  pop_joined(index);
}

void PdomStack::retire(LaneMask taken, LaneMask exited) {
  const std::size_t index = current_index();
  if ((entries_[index].mask & ~exited) != 0) settle(index, taken);
  if (exited != 0) remove_exited();
  leave_join();
}

void PdomStack::resume() {
  for (std::size_t i = entries_.size(); i-- > 0;)
    if (i < entries_.size() && entries_[i].waits) settle(i, 0);
  leave_join();
}

bool PdomStack::yield() {
  const std::size_t running = current_index();
  std::size_t lowest = none;
  for_each_free([&](std::size_t i) {
    if (i != running) lowest = i;
    return true;
  });
  if (lowest == none) return false;
  run_alone(lowest);
  return true;
}

// Calls f(index) for the entries that have threads in none above and do not wait, from the top, until it returns false.
template <class F>
void PdomStack::for_each_free(F&& f) const {
  LaneMask above = 0;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (!entries_[i].waits && (entries_[i].mask & ~above) != 0 && !f(i)) return;
    above |= entries_[i].mask;
  }
}

// Those of the entry's threads that are at its place already go on without the others.
void PdomStack::run_alone(std::size_t index) {
  LaneMask above = 0;
  for (std::size_t i = index + 1; i < entries_.size(); ++i) above |= entries_[i].mask;
  Entry first = entries_[index];
  first.mask &= ~above;
  entries_[index].mask &= above;
  if (entries_[index].mask == 0) entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  entries_.push_back(first);
}

// Where all that could run waits for threads that are at a join: these do not wait for it there.
void PdomStack::leave_join() {
  if (current_index() != none) return;
  std::size_t first = none;
  for_each_free([&](std::size_t i) {
    first = i;
    return false;
  });
  if (first != none) run_alone(first);
}

// The threads of an entry by place; the last one runs first.
std::vector<PdomStack::Side> PdomStack::sides_of(const Entry& entry, LaneMask taken) const {
  std::vector<Side> sides;
  const auto add = [&](unsigned lane) {
    const Thread& thread = *threads_[lane];
    if (thread.state == ThreadState::exited) return;
    const Place place = place_of(thread);
    const bool waits = thread.state != ThreadState::runnable;
    const auto same = std::find_if(sides.begin(), sides.end(),
                                   [&](const Side& side) { return side.place == place && side.waits == waits; });
    if (same == sides.end())
      sides.push_back({place, waits, LaneMask{1} << lane});
    else
      same->mask |= LaneMask{1} << lane;
  };
  for_each_lane(entry.mask & ~taken, add);
  for_each_lane(entry.mask & taken, add);
  return sides;
}

void PdomStack::settle(std::size_t index, LaneMask taken) {
  Entry& entry = entries_[index];
  const std::vector<Side> sides = sides_of(entry, taken);
  if (sides.empty()) return;
  if (sides.size() == 1) {
    entry.next = sides[0].place;
    entry.waits = sides[0].waits;
    if (!entry.waits) pop_joined(index);
    return;
  }
  const Place join = reconvergence_of(threads_, entry.mask, entry.next, timing_);
  std::vector<Entry> pushed;
  for (const Side& side : sides)
    if (side.waits || side.place != join) pushed.push_back({side.place, side.mask, join, side.waits});
  // The entry itself waits at the join, unless it would only join another one there.
  const bool keeps = join.code != nullptr && join != entry.reconverge;
  if (join.code == nullptr)
    for (Entry& side : pushed) side.reconverge = entry.reconverge;
  entry.next = join;
  entry.waits = false;
  const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(index);
  const auto behind = keeps ? at + 1 : entries_.erase(at);
  entries_.insert(behind, pushed.begin(), pushed.end());
}

// The entry goes where it joins the one below.
void PdomStack::pop_joined(std::size_t index) {
  const Entry& entry = entries_[index];
  if (entry.reconverge.code == nullptr || entry.next != entry.reconverge) return;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  leave_join();
}

void PdomStack::remove_exited() {
  for (Entry& entry : entries_) {
    for_each_lane(entry.mask, [&](unsigned lane) {
      if (threads_[lane]->state == ThreadState::exited) entry.mask &= ~(LaneMask{1} << lane);
    });
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.mask == 0; });
}

}  // namespace heddle::device::sim
