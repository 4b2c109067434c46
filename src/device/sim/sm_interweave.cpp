// Cycles in which two instructions issue together, of warps of 64 threads (Simultaneous Branch and Warp Interweaving).
#include <algorithm>
#include <bit>

#include "device/sim/policies/frontier/frontier.hpp"
#include "device/sim/sm.hpp"

namespace heddle::device::sim {
namespace {

// What the first scheduler has chosen too is its choice again.
void leave_out_second(SlotChooser::Choice& choice) {
  if (choice.conflict) choice.next = choice.second;
  choice.second = nullptr;
  choice.conflict = choice.same_row = false;
}

}  // namespace

// The contexts of all blocks, after one has come or gone.
void Sm::list_contexts() {
  std::vector<Context>& contexts = interweave_->contexts;
  contexts.clear();
  const unsigned slots = issue_policy_->interweaving()->branches ? 2 : 1;
  for (const auto& block : blocks_) {
    auto& frontier = static_cast<Frontier&>(*block->divergence);
    for (std::uint32_t wide = 0; wide < frontier.wide_warps(); ++wide) {
      for (unsigned slot = 0; slot < slots; ++slot) {
        Context context{.block = block.get(), .frontier = &frontier, .wide = wide, .number = frontier.number(wide)};
        context.slot = slot;
        for (unsigned half = 0; half < Frontier::halves; ++half) {
          IssueGroup& group = frontier.group(wide, slot, half);
          if (group.threads) context.half[half] = &group;
        }
        contexts.push_back(context);
      }
    }
  }
}

// The contexts that can issue now, the oldest first. Sets what the slots wait for, and the cycle of the next candidate.
void Sm::collect_contexts() {
  Interweave& state = *interweave_;
  state.candidates.clear();
  state.where.clear();
  Cycle wake = never;
  unsigned waits = 0;  // a bit of each kind
  for (const Context& context : state.contexts) {
    if (state.parts_at_memory) wake = std::min(wake, context.frontier->next_release(context.wide));
    Cycle ready = 0;
    Wait wait = Wait::none;
    bool there = false;
    for (const IssueGroup* half : context.half) {
      if (!half || half->mask == 0) continue;
      there = true;
      if (half->ready <= ready) continue;
      ready = half->ready;
      wait = half->wait;
    }
    if (!there) {
      if (context.slot == 0) waits |= 1u << static_cast<unsigned>(context.half[0]->wait);
      continue;
    }
    if (ready > now_) {
      wake = std::min(wake, ready);
      waits |= 1u << static_cast<unsigned>(wait);
      continue;
    }
    if ((context.slot == 1 && context.frontier->suspended(context.wide)) ||
        (state.parts_at_memory && context.frontier->stands_back(context.wide, context.slot))) {
      ++statistics_.policy[PolicyEvent::suspended];
      continue;
    }
    const Cycle free = add_candidate(context);
    if (free > now_) wake = std::min(wake, free);
  }
  const auto any = [&](Wait one) { return (waits >> static_cast<unsigned>(one) & 1) != 0; };
  state.wake = wake;
  state.use = !state.candidates.empty() ? SlotUse::pipeline
              : any(Wait::result)       ? SlotUse::result
              : any(Wait::control)      ? SlotUse::control
              : any(Wait::memory)       ? SlotUse::memory
              : any(Wait::barrier)      ? SlotUse::barrier
                                        : SlotUse::idle;
}

// Contexts come by age of their warps. Returns the cycle in which the units of this one are free.
Cycle Sm::add_candidate(const Context& context) {
  Interweave& state = *interweave_;
  const Frontier& frontier = *context.frontier;
  const PipeClass pipe = context.op().pipe;
  const SplitContext& split = frontier.contexts(context.wide).hot(context.slot);
  const bool starves = starving_ && std::ranges::find(context.half, starving_) != std::end(context.half);
  const bool full = pipe == PipeClass::lsu && queue_is_full_for(starves ? starving_ : nullptr);
  const unsigned row = state.rows.row(pipe);
  const Cycle free = full ? now_ + 1 : state.rows.free_at(row);
  std::size_t place = starves ? 0 : state.where.size();
  if (state.by_instruction && !starves)  // behind those that have waited for as long
    while (place > 0 && state.where[place - 1].since > split.not_before) --place;
  const auto at = static_cast<std::ptrdiff_t>(place);
  state.candidates.insert(
      state.candidates.begin() + at,
      {context.block, context.wide, context.number, context.slot, frontier.group(context.wide, 0, 0).age, split.order,
       frontier.lanes(context.wide, context.slot), row, free <= now_, free <= now_ + 1, state.rows.interval(pipe) > 1,
       pipe == PipeClass::branch});
  state.where.insert(state.where.begin() + at, context)->since = starves ? 0 : split.not_before;
  return free;
}

// A replay has one of the cycle's slots, and the lanes of the load/store unit.
void Sm::leave_room(SlotChooser::Choice& choice) const {
  const Interweaving& how = *issue_policy_->interweaving();
  if (choice.first && choice.second) leave_out_second(choice);
  if (!how.warps && !how.branches) choice.first = nullptr;  // there is one slot
}

// One cycle. Returns false before an operation that must wait for other SMs.
bool Sm::issue_together() {
  Interweave& state = *interweave_;
  Scheduler& primary = schedulers_[0];
  Scheduler& secondary = schedulers_[1];
  if (now_ < primary.wake && now_ < secondary.wake) return true;
  account(primary);
  account(secondary);
  if (blocks_.empty()) {
    primary.use = secondary.use = SlotUse::idle;
    primary.wake = secondary.wake = never;
    return true;
  }
  if (state.parts_at_memory) release_threads();
  collect_contexts();
  SlotChooser::Choice choice = state.chooser.choose(state.candidates);
  if (primary.replays != 0) leave_room(choice);
  const auto index_of = [&](const SlotCandidate* one) {
    return static_cast<std::size_t>(one - state.candidates.data());
  };
  const auto ordered = [&](const SlotCandidate* one) { return one && state.where[index_of(one)].op().ordered; };
  const std::uint64_t wanted = std::uint64_t{ordered(choice.first)} + (ordered(choice.second) ? 1 : 0);
  if (wanted != 0 && orders_ == 0) {
    primary.wake = now_;
    return false;
  }
  if (wanted > orders_) leave_out_second(choice);  // it issues in the next cycle
  orders_ -= std::min(wanted, orders_);
  state.chooser.issued(choice);
  primary.use = secondary.use = state.use;
  const bool replays = replay(primary, choice.first ? secondary : primary);
  const bool issues = choice.first || choice.second || replays;
  issued_ |= issues;
  primary.wake = secondary.wake = issues || state.chooser.pending() ? now_ + 1 : state.wake;
  const Context first = choice.first ? state.where[index_of(choice.first)] : Context{};
  const Context second = choice.second ? state.where[index_of(choice.second)] : Context{};
  if (choice.same_row && !options_.is("fit", "any"))
    PolicyAudit::require((choice.first->lanes & choice.second->lanes) == 0,
                         "two instructions share a row on other lanes");
  if (choice.first) issue_context(first, primary, false);
  if (choice.second) issue_second(first, second, *choice.second, choice.same_row);
  for (const Context& one : {first, second})
    if (is_there(one)) settle_context(one);
  return true;
}

// Whether the context's block has not ended.
bool Sm::is_there(const Context& one) const {
  return one.block && std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.get() == one.block; });
}

// The second instruction of a cycle, unless what the first one did keeps it for the next cycle.
void Sm::issue_second(const Context& first, const Context& second, const SlotCandidate& candidate, bool shares) {
  if (!is_there(second)) return;
  const Frontier& frontier = *second.frontier;
  // Threads of its warp may have moved on, into other contexts.
  if (frontier.contexts(second.wide).hot(second.slot).order != candidate.order ||
      frontier.lanes(second.wide, second.slot) != candidate.lanes)
    return;
  // One instruction of a cycle may part threads (section 3.4).
  const bool may_part = second.op().parts || (interweave_->parts_at_memory && second.op().pipe == PipeClass::lsu);
  const bool has_parted = is_there(first) && first.frontier->new_splits(first.wide) != 0;
  if (has_parted && may_part) return;
  const std::size_t before = frontier.new_splits(second.wide);
  issue_context(second, schedulers_[1], shares);
  PolicyAudit::require(!has_parted || !may_part || !is_there(second) || frontier.new_splits(second.wide) <= before,
                       "one instruction of a cycle parts threads");
}

// Both halves of a context execute its instruction.
void Sm::issue_context(const Context& context, Scheduler& scheduler, bool shares) {
  Interweave& state = *interweave_;
  IssueGroup* halves[Frontier::halves];
  unsigned count = 0, lanes = 0;
  for (IssueGroup* half : context.half) {
    if (!half || half->mask == 0) continue;
    halves[count++] = half;
    lanes += static_cast<unsigned>(std::popcount(half->mask));
  }
  const OpTiming* const op = halves[0]->op;
  const PipeClass pipe = op->pipe;
  state.rows.occupy(*op, now_);
  if (!shares) {
    statistics_.issue_slots += Frontier::halves;
    statistics_.slot_lanes += Frontier::halves * machine::warp_size;
  }
  scheduler.use = SlotUse::issue;
  scheduler.bucket = 2 + (std::min((lanes + 1) / Frontier::halves, machine::warp_size) + 3) / 4;
  // Schedulers that follow one another take a cycle each: the first one's has passed when its choice issues.
  const Interweaving& how = *issue_policy_->interweaving();
  const Cycle latency = pipes_.latency(pipe) + (how.warps && &scheduler == &schedulers_[1] ? 1 : 0);
  statistics_.warp_instructions -= count - 1;  // they are one
  for (unsigned i = 0; i < count; ++i) {
    IssueGroup& half = *halves[i];
    // What the half before it has done may have moved its threads on: they met others, or their warp's last ones left.
    if (i > 0 && (half.mask == 0 || half.op != op)) {
      ++statistics_.warp_instructions;
      continue;
    }
    half.not_before = now_ + 1;
    if (!issue(half, latency)) return;
  }
}

void Sm::settle_context(const Context& context) {
  Frontier& frontier = *context.frontier;
  frontier.sort(context.wide);
  for (unsigned slot = 0; slot < 2; ++slot) {
    for (unsigned half = 0; half < Frontier::halves; ++half) {
      IssueGroup& group = frontier.group(context.wide, slot, half);
      if (group.threads) evaluate(group);
    }
  }
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
