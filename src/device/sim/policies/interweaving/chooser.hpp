// Which two instructions share a cycle (Simultaneous Branch and Warp Interweaving, sections 2.4, 2.8 and 2.9).
#pragma once

#include <cstdint>
#include <span>

#include "device/sim/policies/frontier/contexts.hpp"
#include "device/sim/policies/issue.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

// A hot context whose instruction depends on nothing that is under way.
struct SlotCandidate {
  const void* owner = nullptr;  // with `warp`: which warp it is
  std::uint32_t warp = 0;
  std::uint32_t number = 0;  // of the warp on the SM
  unsigned slot = 0;         // 0: the primary context
  std::uint64_t age = 0;     // the oldest warp has the lowest
  std::uint64_t order = 0;   // of its place
  WideMask lanes = 0;        // of the SIMD unit
  unsigned row = 0;          // of units
  bool free = true;          // the row takes an instruction in this cycle
  bool free_next = true;     // it does in the next one, if nothing else takes it in this one
  bool holds_row = false;    // it occupies its row for more than a cycle
  bool on_no_lanes = false;  // each scheduler executes it by itself: a branch
  bool same_warp(const SlotCandidate& other) const { return owner == other.owner && warp == other.warp; }
  bool same(const SlotCandidate& other) const { return same_warp(other) && order == other.order; }
};

class SlotChooser {
 public:
  struct Rules {
    Interweaving how;
    bool any_free_group = true;  // SBI: without a secondary context the second slot takes another warp's instruction
    unsigned ways = 0;           // SWI: warps among which the second slot looks; 0: all
    unsigned warps = 16;         // of the SM
    bool any_lane = false;       // SWI: threads could use any lane, a bound
  };
  struct Choice {
    const SlotCandidate* first = nullptr;
    const SlotCandidate* second = nullptr;
    const SlotCandidate* next = nullptr;  // SWI: what the first scheduler has chosen for the next cycle
    bool same_row = false;                // the second one uses the row of the first one
    bool conflict = false;                // both schedulers had chosen the same
    bool keeps = false;                   // SWI: what was chosen before waits for its row
  };

  SlotChooser(const Rules& rules, PolicyCounts& counts) : rules_(rules), counts_(counts) {}
  // `candidates`: by age, primary contexts before secondary ones. Does not change the chooser.
  Choice choose(std::span<const SlotCandidate> candidates) const;
  // The choice issues: without the second one if that has been left out.
  void issued(const Choice& choice);
  // SWI: an instruction has been chosen for the next cycle.
  bool pending() const { return has_pending_; }

 private:
  Choice interweave_branches(std::span<const SlotCandidate> candidates) const;
  Choice interweave_warps(std::span<const SlotCandidate> candidates) const;
  template <class Visible>
  const SlotCandidate* best_fit(std::span<const SlotCandidate> candidates, const Visible& visible,
                                const SlotCandidate* first) const;
  bool fits(const SlotCandidate& one, const SlotCandidate* first) const;
  bool looks_at(const SlotCandidate& candidate, std::uint32_t asking, bool any) const;

  const Rules rules_;
  PolicyCounts& counts_;
  SlotCandidate pending_;
  bool has_pending_ = false;
  std::uint32_t random_ = 0xace1u;
};

}  // namespace heddle::device::sim
