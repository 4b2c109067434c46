// Registers of a warp whose results are under way, by lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "device/sim/issue_group.hpp"

namespace heddle::device::sim {

class Scoreboard {
 public:
  static constexpr std::uint32_t no_access = 0xffffffffu;
  static constexpr std::uint32_t completed_access = 0xfffffffeu;
  static constexpr std::uint32_t every_register = 0xffffffffu;

  // `access`: the memory access whose completion gives the cycle; no_access where `ready` is known.
  // `issued`, `slot`: of the instruction.
  void add(std::uint32_t reg, LaneMask lanes, Cycle ready, std::uint32_t access, Cycle issued, unsigned slot) {
    pending_.push_back({ready, reg, lanes, access, static_cast<std::uint32_t>(issued << slot_bits | slot)});
  }
  void complete(std::uint32_t access, Cycle ready) {
    for (Pending& pending : pending_) {
      if (pending.access != access) continue;
      pending.ready = ready;
      pending.access = completed_access;  // numbers are used again
    }
  }
  struct Check {
    Cycle ready = 0;
    bool memory = false;  // a memory access decides it
  };
  // When these lanes may use and write the registers. Forgets what is ready at `now`.
  Check check(std::span<const std::uint32_t> registers, LaneMask lanes, Cycle now) {
    Check result;
    for (std::size_t i = 0; i < pending_.size();) {
      const Pending& pending = pending_[i];
      if (pending.ready <= now) {
        pending_[i] = pending_.back();
        pending_.pop_back();
        continue;
      }
      ++i;
      if (pending.ready <= result.ready || (pending.lanes & lanes) == 0) continue;
      if (pending.reg != every_register &&
          std::find(registers.begin(), registers.end(), pending.reg) == registers.end())
        continue;
      result = {pending.ready, pending.access != no_access};
    }
    return result;
  }
  // Each entry's lanes become f(lanes).
  template <class F>
  void map(F&& f) {
    for (Pending& pending : pending_) pending.lanes = f(pending.lanes);
  }
  std::size_t size() const { return pending_.size(); }
  bool empty() const { return pending_.empty(); }
  // Empties it.
  struct Cleared {
    unsigned accesses = 0;  // memory accesses under way that had entries
    Cycle last = 0;         // when the last of the other results is there
  };
  Cleared clear();
  // The first cycle in which one of so many entries is free; 0: there is one now. `paired`: an entry holds registers of
  // both instructions that a warp issues in a cycle (Simultaneous Branch and Warp Interweaving, section 3.4).
  Check room(std::size_t entries, bool paired) const;

 private:
  static constexpr unsigned slot_bits = 2;
  // A thread of a simulated GPU may have several, so it is small.
  struct Pending {
    Cycle ready;
    std::uint32_t reg;
    LaneMask lanes;
    std::uint32_t access;
    // That writes the register: its cycle, of which the low bits tell entries apart, and slot.
    std::uint32_t instruction;
    unsigned slot() const { return instruction & ((1u << slot_bits) - 1); }
    bool same_cycle(const Pending& other) const { return instruction >> slot_bits == other.instruction >> slot_bits; }
  };
  std::vector<Pending> pending_;
};

inline Scoreboard::Check Scoreboard::room(std::size_t entries, bool paired) const {
  if (pending_.size() < entries) return {};
  Check first{never, true};
  const auto frees = [&](Cycle ready, bool memory) {
    if (ready <= first.ready) first = {ready, memory};
  };
  // Passes of one memory instruction are one result, which is there with the last of them.
  const auto same_result = [](const Pending& one, const Pending& other) {
    return other.instruction == one.instruction && other.reg == one.reg;
  };
  const auto is_first = [&](const Pending& one) {
    return std::none_of(pending_.data(), &one, [&](const Pending& other) { return same_result(one, other); });
  };
  const auto last = [&](const Pending& one) -> const Pending& {
    const Pending* latest = &one;
    for (const Pending& other : pending_)
      if (same_result(one, other) && other.ready > latest->ready) latest = &other;
    return *latest;
  };
  // The n-th register of the one instruction is beside the n-th of the other one.
  const auto place = [&](const Pending& of) {
    return std::count_if(pending_.data(), &of,
                         [&](const Pending& other) { return other.instruction == of.instruction && is_first(other); });
  };
  std::size_t used = 0;
  for (const Pending& one : pending_) {
    if (!is_first(one)) continue;
    const Pending* beside = nullptr;
    for (const Pending& other : pending_)
      if (paired && other.same_cycle(one) && other.slot() != one.slot() && is_first(other) &&
          place(other) == place(one))
        beside = &other;
    if (beside && one.slot() == 1) continue;
    ++used;
    const Pending& mine = last(one);
    const Pending& later = beside && last(*beside).ready > mine.ready ? last(*beside) : mine;
    frees(later.ready, later.access != no_access);
  }
  return used < entries ? Check{} : first;
}

inline Scoreboard::Cleared Scoreboard::clear() {
  Cleared cleared;
  std::vector<std::uint32_t> accesses;
  for (const Pending& pending : pending_) {
    if (pending.access == no_access || pending.access == completed_access)
      cleared.last = std::max(cleared.last, pending.ready);
    else
      accesses.push_back(pending.access);
  }
  std::sort(accesses.begin(), accesses.end());
  cleared.accesses = static_cast<unsigned>(std::unique(accesses.begin(), accesses.end()) - accesses.begin());
  pending_.clear();
  return cleared;
}

}  // namespace heddle::device::sim
