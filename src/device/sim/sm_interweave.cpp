// Cycles in which two instructions issue together, of warps of 64 threads (Simultaneous Branch and Warp Interweaving).
#include <algorithm>
#include <bit>
#include <numeric>

#include "device/sim/policies/frontier/frontier.hpp"
#include "device/sim/sm.hpp"

namespace heddle::device::sim {
namespace {

// The groups of a context: one for each half of the warp that has threads in it.
struct Halves {
  IssueGroup* group[Frontier::halves] = {};
  unsigned count = 0;
};

Halves halves_of(const Frontier& frontier, std::size_t wide, unsigned slot) {
  Halves halves;
  for (unsigned half = 0; half < Frontier::halves; ++half) {
    IssueGroup& group = frontier.group(wide, slot, half);
    if (group.threads && group.mask != 0) halves.group[halves.count++] = &group;
  }
  return halves;
}

}  // namespace

// The contexts that can issue now, the oldest first. Sets what the slots wait for, and the cycle of the next candidate.
void Sm::collect_contexts() {
  Interweave& state = *interweave_;
  state.candidates.clear();
  state.where.clear();
  Cycle wake = never;
  unsigned waits[8] = {};
  for (const auto& block : blocks_) {
    const auto& frontier = static_cast<const Frontier&>(*block->divergence);
    for (std::size_t wide = 0; wide < frontier.wide_warps(); ++wide) {
      for (unsigned slot = 0; slot < (issue_policy_->interweaving()->branches ? 2u : 1u); ++slot) {
        const Halves halves = halves_of(frontier, wide, slot);
        if (halves.count == 0) {
          if (slot == 0) ++waits[static_cast<unsigned>(frontier.group(wide, 0, 0).wait)];
          continue;
        }
        Cycle ready = 0;
        Wait wait = Wait::none;
        for (unsigned i = 0; i < halves.count; ++i) {
          if (halves.group[i]->ready <= ready) continue;
          ready = halves.group[i]->ready;
          wait = halves.group[i]->wait;
        }
        if (ready > now_) {
          wake = std::min(wake, ready);
          ++waits[static_cast<unsigned>(wait)];
          continue;
        }
        if (slot == 1 && frontier.suspended(wide)) {
          ++statistics_.policy[PolicyEvent::suspended];
          continue;
        }
        const IssueGroup& first = *halves.group[0];
        const bool full = first.op->pipe == PipeClass::lsu && queue_.full();
        const unsigned row = state.rows.row(first.op->pipe);
        const Cycle free = full ? now_ + 1 : state.rows.free_at(row);
        if (free > now_) wake = std::min(wake, free);
        state.candidates.push_back({block.get(), static_cast<std::uint32_t>(wide), frontier.number(wide), slot,
                                    frontier.group(wide, 0, 0).age, frontier.contexts(wide).hot(slot).order,
                                    frontier.lanes(wide, slot), row, free <= now_, free <= now_ + 1,
                                    state.rows.interval(first.op->pipe) > 1});
        state.where.push_back({block.get(), wide, slot});
      }
    }
  }
  if (state.by_instruction) sort_by_instruction();
  const auto any = [&](Wait one) { return waits[static_cast<unsigned>(one)] != 0; };
  state.wake = wake;
  state.use = !state.candidates.empty() ? SlotUse::pipeline
              : any(Wait::result)       ? SlotUse::result
              : any(Wait::control)      ? SlotUse::control
              : any(Wait::memory)       ? SlotUse::memory
              : any(Wait::barrier)      ? SlotUse::barrier
                                        : SlotUse::idle;
}

// Candidates come by age of their warps: these are put in the order of their instructions.
void Sm::sort_by_instruction() {
  Interweave& state = *interweave_;
  const auto since = [&](const Context& at) {
    return static_cast<const Frontier&>(*at.block->divergence).contexts(at.wide).hot(at.slot).not_before;
  };
  std::vector<std::uint32_t>& order = state.order;
  order.resize(state.where.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return since(state.where[a]) < since(state.where[b]); });
  const std::vector<SlotCandidate> candidates = state.candidates;
  const std::vector<Context> where = state.where;
  for (std::size_t i = 0; i < order.size(); ++i) {
    state.candidates[i] = candidates[order[i]];
    state.where[i] = where[order[i]];
  }
}

// One cycle. Returns false before an operation that must wait for other SMs.
bool Sm::issue_together() {
  Interweave& state = *interweave_;
  Scheduler& primary = schedulers_[0];
  Scheduler& secondary = schedulers_[1];
  if (now_ < primary.wake && now_ < secondary.wake) return true;
  account(primary);
  account(secondary);
  collect_contexts();
  SlotChooser::Choice choice = state.chooser.choose(state.candidates);
  const auto index_of = [&](const SlotCandidate* one) {
    return static_cast<std::size_t>(one - state.candidates.data());
  };
  const auto ordered = [&](const SlotCandidate* one) {
    if (!one) return false;
    const auto& at = state.where[index_of(one)];
    return halves_of(static_cast<const Frontier&>(*at.block->divergence), at.wide, at.slot).group[0]->op->ordered;
  };
  const std::uint64_t wanted = std::uint64_t{ordered(choice.first)} + (ordered(choice.second) ? 1 : 0);
  if (wanted != 0 && orders_ == 0) {
    primary.wake = now_;
    return false;
  }
  if (wanted > orders_) {
    choice.second = nullptr;  // in the next cycle
    choice.conflict = choice.same_row = false;
  }
  orders_ -= std::min(wanted, orders_);
  state.chooser.issued(choice);
  primary.use = secondary.use = state.use;
  const bool issues = choice.first || choice.second;
  issued_ |= issues;
  primary.wake = secondary.wake = issues || state.chooser.pending() ? now_ + 1 : state.wake;
  const Context first = choice.first ? state.where[index_of(choice.first)] : Context{};
  const Context second = choice.second ? state.where[index_of(choice.second)] : Context{};
  if (choice.same_row && !options_.is("fit", "any"))
    PolicyAudit::require((choice.first->lanes & choice.second->lanes) == 0,
                         "two instructions share a row on other lanes");
  if (choice.first) issue_context(first, primary, false);
  const auto there = [&](const Context& one) {
    return one.block &&
           std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.get() == one.block; });
  };
  // What the first instruction did may have moved threads of the second one's warp on, into other contexts.
  const auto is_same = [&](const Context& one, const SlotCandidate& candidate) {
    const auto& frontier = static_cast<const Frontier&>(*one.block->divergence);
    return frontier.contexts(one.wide).hot(one.slot).order == candidate.order &&
           frontier.lanes(one.wide, one.slot) == candidate.lanes;
  };
  if (choice.second && there(second) && is_same(second, *choice.second))
    issue_context(second, secondary, choice.same_row);
  for (const Context& one : {first, second})
    if (there(one)) settle_context(*one.block, one.wide);
  return true;
}

// Both halves of a context execute its instruction.
void Sm::issue_context(const Context& context, Scheduler& scheduler, bool shares) {
  Interweave& state = *interweave_;
  const auto& frontier = static_cast<const Frontier&>(*context.block->divergence);
  const Halves halves = halves_of(frontier, context.wide, context.slot);
  unsigned lanes = 0;
  for (unsigned i = 0; i < halves.count; ++i) lanes += static_cast<unsigned>(std::popcount(halves.group[i]->mask));
  const PipeClass pipe = halves.group[0]->op->pipe;
  state.rows.occupy(pipe, now_);
  if (!shares) {
    statistics_.issue_slots += Frontier::halves;
    statistics_.slot_lanes += Frontier::halves * machine::warp_size;
  }
  scheduler.use = SlotUse::issue;
  scheduler.bucket = 2 + (std::min((lanes + 1) / Frontier::halves, machine::warp_size) + 3) / 4;
  // Schedulers that follow one another take a cycle each: the first one's has passed when its choice issues.
  const Interweaving& how = *issue_policy_->interweaving();
  const Cycle latency = pipes_.latency(pipe) + how.delivery + (how.warps && &scheduler == &schedulers_[1] ? 1 : 0);
  statistics_.warp_instructions -= halves.count - 1;  // they are one
  const OpTiming* const op = halves.group[0]->op;
  for (unsigned i = 0; i < halves.count; ++i) {
    IssueGroup& half = *halves.group[i];
    // What the half before it has done may have moved its threads on: they met others, or their warp's last ones left.
    if (i > 0 && (half.mask == 0 || half.op != op)) {
      ++statistics_.warp_instructions;
      continue;
    }
    half.not_before = now_ + 1;
    if (!issue(half, latency)) return;
  }
}

void Sm::settle_context(BlockContext& block, std::size_t wide) {
  auto& frontier = static_cast<Frontier&>(*block.divergence);
  frontier.sort(wide);
  for (unsigned slot = 0; slot < 2; ++slot)
    for (unsigned half = 0; half < Frontier::halves; ++half)
      if (frontier.group(wide, slot, half).threads) evaluate(frontier.group(wide, slot, half));
}

// Its entries know in which slots the threads may be now that were in the slot of the instruction (section 2.7).
Scoreboard& Sm::matrix_of(BlockContext& block, std::uint32_t warp) {
  auto& frontier = static_cast<Frontier&>(*block.divergence);
  const std::size_t wide = frontier.wide_of(warp);
  const Frontier::SlotMoves moves = frontier.take_moves(wide);
  block.matrices[wide].map([&](LaneMask slots) {
    LaneMask now = 0;
    for (unsigned i = 0; i < moves.size(); ++i)
      if ((slots >> i) & 1) now |= moves[i];
    return now;
  });
  return block.matrices[wide];
}

// The matrix misses no dependence that threads have; it may see others.
Scoreboard::Check Sm::check_matrix(IssueGroup& group, const Scoreboard::Check& exact) {
  BlockContext& block = *group.block;
  const unsigned slot = static_cast<const Frontier&>(*block.divergence).slot_of(group);
  const CodeTiming& code = block.work.timing.of(*group.at.code);
  const Scoreboard::Check check =
      matrix_of(block, group.warp).check(code.registers(*group.op), LaneMask{1} << slot, now_);
  PolicyAudit::require(check.ready >= exact.ready, "the matrix scoreboard misses no dependence");
  if (check.ready > exact.ready) ++statistics_.policy[PolicyEvent::false_dependences];
  return check;
}

}  // namespace heddle::device::sim
