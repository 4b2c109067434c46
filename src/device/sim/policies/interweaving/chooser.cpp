#include "device/sim/policies/interweaving/chooser.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::device::sim {

namespace {

bool share_row(const SlotCandidate& one, const SlotCandidate& other) {
  return one.row == other.row && !one.on_no_lanes;
}

}  // namespace

SlotChooser::Choice SlotChooser::choose(std::span<const SlotCandidate> candidates) const {
  if (rules_.how.warps) return interweave_warps(candidates);
  if (rules_.how.branches) return interweave_branches(candidates);
  Choice choice;  // warps of 64 threads alone
  for (const SlotCandidate& one : candidates)
    if (!choice.first && one.slot == 0 && one.free) choice.first = &one;
  return choice;
}

// Section 2.4: the oldest warp of which a context can issue; both, if they use other units or, on other lanes, the
// same. The slot that it leaves may take another warp's instruction for other units.
SlotChooser::Choice SlotChooser::interweave_branches(std::span<const SlotCandidate> candidates) const {
  Choice choice;
  const auto oldest =
      std::find_if(candidates.begin(), candidates.end(), [](const SlotCandidate& one) { return one.free; });
  if (oldest == candidates.end()) return choice;
  const SlotCandidate* beside = nullptr;
  for (const SlotCandidate& one : candidates)
    if (one.same_warp(*oldest) && one.slot != oldest->slot && (one.free || one.row == oldest->row)) beside = &one;
  for (const SlotCandidate& one : candidates)
    if (!beside && rules_.any_free_group && one.free && !one.same_warp(*oldest) && !share_row(one, *oldest))
      beside = &one;
  choice.same_row = beside && share_row(*beside, *oldest);
  choice.first = &*oldest;
  choice.second = beside;
  if (beside && oldest->slot == 1) std::swap(choice.first, choice.second);  // a warp's primary context goes first
  return choice;
}

// Associative look-up: the set is that of the warp after the first one's. Without a first instruction any set will do.
bool SlotChooser::looks_at(const SlotCandidate& candidate, std::uint32_t asking, bool any) const {
  if (any || rules_.ways == 0 || rules_.ways >= rules_.warps) return true;
  const unsigned sets = std::max(rules_.warps / rules_.ways, 1u);
  return candidate.number % sets == (asking + 1) % sets;
}

// Beside the first instruction, in its row or in another one.
bool SlotChooser::fits(const SlotCandidate& one, const SlotCandidate* first) const {
  if (!first || !share_row(one, *first)) return one.free;
  if (rules_.any_lane) return std::popcount(one.lanes) + std::popcount(first->lanes) <= 64;
  return (one.lanes & first->lanes) == 0;
}

// The candidate with most lanes among those that fit; the same warp's first, then by chance.
template <class Visible>
const SlotCandidate* SlotChooser::best_fit(std::span<const SlotCandidate> candidates, const Visible& visible,
                                           const SlotCandidate* first) const {
  const std::uint32_t asking = first ? first->number : 0;
  const SlotCandidate* best = nullptr;
  std::uint64_t best_rank = 0;
  for (const SlotCandidate& one : candidates) {
    if (!visible(one)) continue;
    if (!fits(one, first)) continue;
    const bool same_warp = first && one.same_warp(*first);
    if (!same_warp && !looks_at(one, asking, first == nullptr)) continue;
    const std::uint32_t chance = (one.number * 0x9e3779b9u ^ random_ * 0x85ebca6bu) >> 16;
    const std::uint64_t rank = static_cast<std::uint64_t>(std::popcount(one.lanes)) << 20 |
                               std::uint64_t{same_warp} << 18 | std::uint64_t{chance} << 1 | 1;
    if (rank <= best_rank) continue;
    best = &one;
    best_rank = rank;
  }
  return best;
}

// Section 2.8: what the first scheduler chose in the last cycle issues now, with what the second one finds for it.
SlotChooser::Choice SlotChooser::interweave_warps(std::span<const SlotCandidate> candidates) const {
  Choice choice;
  if (has_pending_) {
    for (const SlotCandidate& one : candidates)
      if (one.same(pending_)) choice.first = &one;
    if (choice.first && !choice.first->free) {
      choice.first = nullptr;
      choice.keeps = true;
    }
  }
  const auto visible = [&](const SlotCandidate& one) {
    return (rules_.how.branches || one.slot == 0) && &one != choice.first && !(choice.keeps && one.same(pending_));
  };
  choice.second = best_fit(candidates, visible, choice.first);
  // As the schedulers of the baseline, the first one does not wait for units while an instruction for others is ready.
  // It knows what it has chosen before, not what the second one chooses now.
  const auto held = [&](unsigned row) { return choice.first && choice.first->holds_row && choice.first->row == row; };
  for (const SlotCandidate& one : candidates)
    if (!choice.keeps && !choice.next && visible(one) && one.free_next && !held(one.row)) choice.next = &one;
  choice.same_row = choice.first && choice.second && share_row(*choice.first, *choice.second);
  choice.conflict = choice.second && choice.second == choice.next;
  if (choice.conflict) choice.next = nullptr;  // the second scheduler's copy issues
  return choice;
}

void SlotChooser::issued(const Choice& choice) {
  random_ = (random_ >> 1) ^ ((random_ & 1) != 0 ? 0xb400u : 0);  // a shift register with feedback
  if (choice.second) {
    ++counts_[PolicyEvent::secondary];
    if (choice.same_row) ++counts_[PolicyEvent::same_row];
    if (choice.first && choice.second->same_warp(*choice.first)) ++counts_[PolicyEvent::same_warp];
  }
  if (!rules_.how.warps) return;
  if (choice.conflict) ++counts_[PolicyEvent::conflicts];
  if (choice.keeps) return;
  has_pending_ = choice.next != nullptr;
  if (has_pending_) pending_ = *choice.next;
}

}  // namespace heddle::device::sim
