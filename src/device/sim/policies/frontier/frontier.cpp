#include "device/sim/policies/frontier/frontier.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {

using machine::Thread;
using machine::ThreadState;

Frontier::Frontier(const DivergenceContext& context)
    : block_(context.block),
      timing_(context.timing),
      lanes_(context.lanes),
      counts_(context.counts),
      now_(context.now),
      slots_(context.slots),
      shape_{context.wide ? 2 * machine::warp_size : machine::warp_size,
             context.wide ? context.sm_warps / 2 : context.sm_warps},
      wide_(context.wide),
      text_order_(context.options.is("layout", "asis")),
      constrained_(context.options.is("constraints", "on")),
      by_dominator_(context.options.is("divide", "dominator")),
      tracks_moves_(context.options.is("scoreboard", "matrix")),
      cold_(std::size_t{context.options.number("cold")} * block_.warps.size(), context.options.number("sorter"),
            context.counts) {
  const std::size_t per_wide = wide_ ? halves : 1;
  const std::size_t count = (block_.warps.size() + per_wide - 1) / per_wide;
  const bool exchange = context.options.is("exchange", "on");
  for (std::size_t w = 0; w < count; ++w) warps_.emplace_back(WarpContexts(cold_, counts_, exchange));
  groups_.resize(count * 2 * halves);
  for (auto& group : groups_) group = std::make_unique<IssueGroup>();
  for (std::uint32_t w = 0; w < block_.warps.size(); ++w) {
    for (unsigned slot = 0; slot < (wide_ ? 2u : 1u); ++slot) {
      IssueGroup& one = group(wide_of(w), slot, wide_ ? w % halves : 0);
      one.threads = &block_.warps[w].lanes;
      one.warp = w;
      list_.push_back(&one);
    }
    const LaneMask all =
        block_.warps[w].count == machine::warp_size ? ~LaneMask{0} : (LaneMask{1} << block_.warps[w].count) - 1;
    arrive(warps_[wide_of(w)], w, all, 0);
  }
  for (std::size_t w = 0; w < count; ++w) sort(w);
}

Frontier::~Frontier() = default;

const FrontierLayout& Frontier::layout_of(const machine::Code& code) const {
  if (known_code_ != &code) {
    known_layout_ = &timing_.of(code).frontier();
    known_code_ = &code;
  }
  return *known_layout_;
}

// Deeper calls first, then functions by number, then places by the layout.
std::uint64_t Frontier::order_of(const Place& place) {
  const std::uint32_t in_function = text_order_ ? place.pc : layout_of(*place.code).ops[place.pc].order;
  return (std::uint64_t{0xffff - std::min(place.depth, 0xffffu)} << 48) |
         (std::uint64_t{place.code->index & 0xffff} << 32) | in_function;
}

// Sorts threads of a warp into arrivals by their places; those that wait are kept apart.
void Frontier::arrive(WideWarp& warp, std::uint32_t of, LaneMask lanes, Cycle not_before) {
  const machine::LaneThreads& threads = block_.warps[of].lanes;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const Thread& thread = *threads[lane];
    if (thread.state == ThreadState::exited) continue;
    const WideMask bit = WideMask{1} << (lane + shift(of));
    if (thread.state != ThreadState::runnable) {
      warp.waiting |= bit;
      continue;
    }
    arrive_at(warp, place_of(thread), bit, not_before);
  }
}

void Frontier::arrive_at(WideWarp& warp, const Place& place, WideMask lanes, Cycle not_before) {
  for (SplitContext& one : warp.arrivals) {
    if (one.place != place) continue;
    one.mask |= lanes;
    one.not_before = std::max(one.not_before, not_before);
    return;
  }
  warp.arrivals.push_back({order_of(place), lanes, place, not_before, 0});
}

bool Frontier::retire(IssueGroup& group, const machine::Effects& effects) {
  const std::size_t wide = wide_of(group.warp);
  WideWarp& warp = warps_[wide];
  warp.retired |= 1u << slot_of(group);
  LaneMask lanes = group.mask;
  for (const WideWarp::Held& held : warp.held) lanes &= ~static_cast<LaneMask>(held.lanes >> shift(group.warp));
  const bool ordinary = effects.operation != nullptr &&
                        (effects.waiting | effects.called | effects.returned | effects.exited | effects.branched) == 0;
  if (ordinary)  // all of them go on with the next instruction
    arrive_at(warp, {group.at.code, group.at.pc + 1, group.at.depth}, WideMask{lanes} << shift(group.warp),
              group.not_before);
  else
    arrive(warp, group.warp, lanes, group.not_before);
  if (!wide_) sort(wide);
  return false;
}

bool Frontier::resume(std::uint32_t of, Cycle not_before) {
  const std::size_t wide = wide_of(of);
  WideWarp& warp = warps_[wide];
  const machine::LaneThreads& threads = block_.warps[of].lanes;
  LaneMask moved = 0;
  for (unsigned lane = 0; lane < machine::warp_size; ++lane) {
    const WideMask bit = WideMask{1} << (lane + shift(of));
    if ((warp.waiting & bit) == 0 || threads[lane]->state == ThreadState::at_barrier ||
        threads[lane]->state == ThreadState::meeting)
      continue;
    warp.waiting &= ~bit;
    moved |= LaneMask{1} << lane;
  }
  arrive(warp, of, moved, not_before);
  if (warp.retired == 0) sort(wide);  // else it sorts when all of the cycle has issued
  return false;
}

bool Frontier::yield(IssueGroup& group) {
  const std::size_t wide = wide_of(group.warp);
  WideWarp& warp = warps_[wide];
  warp.yields = true;
  if (!wide_) sort(wide);  // else when both halves and both slots of the cycle have issued
  return false;
}

void Frontier::sort(std::size_t wide) {
  WideWarp& warp = warps_[wide];
  const std::size_t parts = static_cast<std::size_t>(std::popcount(warp.retired));
  if (warp.arrivals.size() > parts)
    counts_[PolicyEvent::parted] += warp.arrivals.size() - std::max<std::size_t>(parts, 1);
  for (SplitContext& one : warp.arrivals)
    for (unsigned slot = 0; slot < 2; ++slot)
      if ((warp.retired >> slot) & 1 && (warp.contexts.hot(slot).mask & one.mask) != 0)
        one.turns = warp.contexts.hot(slot).turns;
  warp.contexts.replace(warp.retired, warp.arrivals, now_);
  warp.arrivals.clear();
  warp.retired = 0;
  warp.parts_at_memory = false;
  if (warp.yields) warp.contexts.yield(now_);
  warp.yields = false;
  show(wide);
}

unsigned Frontier::slot_of(const IssueGroup& of) const {
  const std::size_t wide = wide_of(of.warp);
  return wide_ && (&of == &group(wide, 1, 0) || &of == &group(wide, 1, 1)) ? 1 : 0;
}

void Frontier::note_moves(WideWarp& warp) const {
  const WideMask before[] = {warp.shown[0], warp.shown[1], ~(warp.shown[0] | warp.shown[1])};
  for (unsigned slot = 0; slot < 2; ++slot) warp.shown[slot] = warp.contexts.hot(slot).mask;
  const WideMask after[] = {warp.shown[0], warp.shown[1], ~(warp.shown[0] | warp.shown[1])};
  std::uint8_t step[3] = {};
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j)
      if ((before[i] & after[j]) != 0) step[i] |= static_cast<std::uint8_t>(1u << j);
  for (std::uint8_t& to : warp.moves) {
    std::uint8_t next = 0;
    for (unsigned i = 0; i < 3; ++i)
      if ((to >> i) & 1) next |= step[i];
    to = next;
  }
}

Frontier::SlotMoves Frontier::take_moves(std::size_t wide) {
  const SlotMoves moves = warps_[wide].moves;
  warps_[wide].moves = {1, 2, 4};
  return moves;
}

// Gives the groups the hot contexts.
void Frontier::show(std::size_t wide) {
  if (tracks_moves_) note_moves(warps_[wide]);
  warps_[wide].suspended = is_suspended(warps_[wide]);
  for (unsigned slot = 0; slot < (wide_ ? 2u : 1u); ++slot) {
    const SplitContext& context = warps_[wide].contexts.hot(slot);
    for (unsigned half = 0; half < (wide_ ? halves : 1); ++half) {
      IssueGroup& one = group(wide, slot, half);
      if (!one.threads) continue;
      one.mask = static_cast<LaneMask>(context.mask >> (half * machine::warp_size));
      if (one.mask == 0) continue;
      one.at = context.place;
      one.not_before = context.not_before;
    }
  }
}

WideMask Frontier::lanes(std::size_t wide, unsigned slot) const {
  const WideWarp& warp = warps_[wide];
  const WideMask mask = warp.contexts.hot(slot).mask;
  if (warp.mapped[slot] == mask) return warp.lanes[slot];
  WideMask lanes = 0;
  if (mask == ~WideMask{0})  // a permutation
    lanes = mask;
  else
    for (WideMask rest = mask; rest != 0; rest &= rest - 1)
      lanes |= WideMask{1} << lanes_.lane(static_cast<unsigned>(std::countr_zero(rest)), number(wide), shape_);
  warp.mapped[slot] = mask;
  warp.lanes[slot] = lanes;
  return lanes;
}

bool Frontier::is_suspended(const WideWarp& warp) const {
  const SplitContext& primary = warp.contexts.hot(0);
  const SplitContext& secondary = warp.contexts.hot(1);
  return constrained_ && primary.mask != 0 && secondary.mask != 0 && waits_at_join(primary.place, secondary.place);
}

bool Frontier::waits_at_join(const Place& first, const Place& second) const {
  if (first.code != second.code || first.depth != second.depth) return false;
  const auto& ops = layout_of(*second.code).ops;
  const FrontierLayout::Op& join = ops[second.pc];
  const std::uint32_t divide = by_dominator_ ? join.dominator : join.region;
  const std::uint32_t at = ops[first.pc].order;
  return divide != FrontierLayout::no_divide && divide < at && at < join.order;
}

void Frontier::hold(const IssueGroup& group, LaneMask lanes, Cycle until) {
  WideWarp& warp = warps_[wide_of(group.warp)];
  warp.held.push_back({group.at, order_of(group.at), WideMask{lanes} << shift(group.warp), until});
  warp.next_release = std::min(warp.next_release, until);
  warp.parts_at_memory = true;
}

bool Frontier::release(std::size_t wide) {
  WideWarp& warp = warps_[wide];
  if (warp.next_release > now_) return false;
  warp.next_release = never;
  std::erase_if(warp.held, [&](const WideWarp::Held& held) {
    if (held.until > now_) {
      warp.next_release = std::min(warp.next_release, held.until);
      return false;
    }
    arrive_at(warp, {held.at.code, held.at.pc + 1, held.at.depth}, held.lanes, now_);
    return true;
  });
  return true;
}

bool Frontier::stands_back(std::size_t wide, unsigned slot) const {
  const WideWarp& warp = warps_[wide];
  if (warp.held.empty()) return false;
  const SplitContext& context = warp.contexts.hot(slot);
  return std::any_of(warp.held.begin(), warp.held.end(), [&](const WideWarp::Held& held) {
    if (held.order >= context.order) return false;
    return slot == 1 || (constrained_ && waits_at_join(held.at, context.place));
  });
}

void Frontier::audit(PolicyAudit& audit) const {
  for (std::size_t wide = 0; wide < warps_.size(); ++wide) {
    const WideWarp& warp = warps_[wide];
    audit.require(warp.retired == 0 && warp.arrivals.empty(), "contexts are sorted at the end of a cycle");
    WideMask all = warp.waiting;
    for (const WideWarp::Held& held : warp.held) {
      audit.require((all & held.lanes) == 0, "threads wait for one pass of one instruction");
      all |= held.lanes;
    }
    const auto of = [&](unsigned lane) -> const Thread& {
      const std::size_t first = wide_ ? wide * halves : wide;
      return *block_.warps[first + lane / machine::warp_size].lanes[lane % machine::warp_size];
    };
    warp.contexts.for_each([&](const SplitContext& one) {
      audit.require((all & one.mask) == 0, "contexts of a warp have no lane in common");
      all |= one.mask;
      for (WideMask rest = one.mask; rest != 0; rest &= rest - 1)
        audit.require(place_of(of(static_cast<unsigned>(std::countr_zero(rest)))) == one.place,
                      "threads of a context are at its place");
    });
    const SplitContext &first = warp.contexts.hot(0), &second = warp.contexts.hot(1);
    audit.require(second.mask == 0 || first.mask != 0, "a second context is beside a first one");
    audit.require(second.mask == 0 || first.precedes(second), "the first context precedes the second one");
    for (WideMask rest = all; rest != 0; rest &= rest - 1)
      audit.holds(of(static_cast<unsigned>(std::countr_zero(rest))));
  }
}

std::unique_ptr<DivergencePolicy> make_frontier(const DivergenceContext& context) {
  return std::make_unique<Frontier>(context);
}

}  // namespace heddle::device::sim
