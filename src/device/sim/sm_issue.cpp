// What a scheduler does in its turn, and what an instruction does when it issues.
#include <algorithm>
#include <bit>

#include "device/sim/policies/frontier/frontier.hpp"
#include "device/sim/sm.hpp"

namespace heddle::device::sim {

Cycle Sm::pipe_free(const OpTiming& op, unsigned scheduler) {
  if (op.pipe == PipeClass::lsu && queue_is_full_for(nullptr)) return now_ + 1;
  return std::max(pipes_.free_at(pipes_.choose(op, scheduler, now_), scheduler), operands_.free_at());
}

// Reads the operands of an instruction that issues now. Returns by how many cycles they come late.
Cycle Sm::read_operands(const IssueGroup& group, unsigned scheduler) {
  if (!operands_.modelled()) return 0;
  const CodeTiming& code = group.block->work.timing.of(*group.at.code);
  const Cycle late = operands_.read(group, code, now_, statistics_.operands);
  if (late != 0 && operands_.holds_up(group.op->pipe))
    schedulers_[scheduler].operands = now_ + machine_.front.issue_interval + late;
  return late;
}

// From the cycle in which an instruction may be chosen to the read of its operands.
Cycle Sm::front_latency() const {
  const Interweaving* const how = issue_policy_->interweaving();
  return Cycle{machine_.front.scheduler_latency} + machine_.front.delivery_latency + (how ? how->delivery : 0);
}

// Schedulers owe slots to what the memory has served beyond the first passes of their accesses.
void Sm::take_replays() {
  const auto replays = memory_.replays();
  for (std::size_t i = 0; i < replays.size() && i < schedulers_.size(); ++i) {
    if (replays[i] == 0) continue;
    schedulers_[i].replays += replays[i];
    schedulers_[i].wake = std::min(schedulers_[i].wake, now_);
  }
  if (!replays.empty()) memory_.clear_replays();
}

// Whether a memory instruction that met conflicts issues again, for the lanes that are left. They are few.
bool Sm::replay(Scheduler& owing, Scheduler& slot) {
  if (owing.replays == 0) return false;
  --owing.replays;
  ++statistics_.policy[PolicyEvent::replays];
  issued_ = true;
  slot.use = SlotUse::issue;
  slot.bucket = 3;
  return true;
}

// Returns false before an operation that must wait for other SMs.
bool Sm::turn(unsigned number) {
  Scheduler& scheduler = schedulers_[number];
  if (now_ < std::max(scheduler.wake, scheduler.free)) return true;
  account(scheduler);
  if (now_ < scheduler.operands) {
    scheduler.use = SlotUse::pipeline;
    scheduler.wake = scheduler.operands;
    return true;
  }
  if (replay(scheduler, scheduler)) {
    scheduler.wake = scheduler.free = now_ + machine_.front.issue_interval;
    return true;
  }
  if (scheduler.policy->looks()) scheduler.policy->look(groups_of(number));
  IssueGroup* const group = choose(number);
  if (!group) return true;
  if (group->op->ordered) {
    if (orders_ == 0) {
      scheduler.wake = now_;
      return false;
    }
    --orders_;
  }
  issued_ = true;
  group->scheduler = static_cast<std::uint8_t>(number);
  scheduler.policy->issued(*group);
  const Cycle turn = std::max(machine_.front.issue_interval * group->width / machine::warp_size, 1u);
  const Cycle taken = group->passes * turn;
  const bool shares = group->block->divergence->shares_slots();
  const unsigned lanes = shares ? issue_shared(*group, number) : issue_turn(*group, number);
  scheduler.use = SlotUse::issue;
  scheduler.bucket = 2 + (std::min(lanes, machine::warp_size) + 3) / 4;
  scheduler.wake = scheduler.free = now_ + taken;
  return true;
}

// Issues one instruction of the group, and others if the policy says so. Returns the lanes of the first.
unsigned Sm::issue_turn(IssueGroup& group, unsigned scheduler) {
  const auto lanes = static_cast<unsigned>(std::popcount(group.mask));
  for (unsigned issued = 0;;) {
    ++statistics_.issue_slots;
    statistics_.slot_lanes += group.width;
    const PipeClass pipe = pipes_.choose(*group.op, scheduler, now_);
    if (observer_) observer_->issued(now_, group, pipe);
    group.not_before = now_;
    const Cycle latency =
        pipes_.occupy(*group.op, pipe, scheduler, now_, group.width) + read_operands(group, scheduler);
    if (!issue(group, latency)) return lanes;
    const bool more = issue_policy_->another(group, ++issued) && group.ready <= now_ && !group.op->ordered &&
                      pipe_free(*group.op, scheduler) <= now_ && schedulers_[scheduler].operands <= now_;
    if (!more) break;
  }
  group.not_before = std::max(group.not_before, now_ + 1);
  group.ready = std::max(group.ready, group.not_before);
  note_ready(group);
  return lanes;
}

// The group, and others of the scheduler's that could issue too, in one slot: as many threads as the slot has lanes, of
// any warps. They occupy one pipe: the bound is for machines with as many lanes. Returns the lanes of all.
unsigned Sm::issue_shared(IssueGroup& group, unsigned scheduler) {
  ++statistics_.issue_slots;
  statistics_.slot_lanes += machine::warp_size;
  shared_slot_.clear();
  unsigned lanes = 0;
  const auto add = [&](IssueGroup& one) {
    const auto more = static_cast<unsigned>(std::popcount(one.mask));
    if (lanes + more > machine::warp_size) return;
    lanes += more;
    shared_slot_.push_back({one.block, &one});
  };
  add(group);
  // The others in turn, so that none of the pool starves.
  const auto pool = groups_of(scheduler);
  const auto first = static_cast<std::size_t>(std::find(pool.begin(), pool.end(), &group) - pool.begin());
  for (std::size_t i = 1; i < pool.size() && lanes < machine::warp_size; ++i) {
    IssueGroup& other = *pool[(first + i) % pool.size()];
    if (other.mask != 0 && other.ready <= now_ && !other.op->ordered) add(other);
  }
  pipes_.occupy(*group.op, group.op->pipe, scheduler, now_, machine::warp_size);
  for (const auto& [block, one] : shared_slot_) {
    if (observer_) observer_->issued(now_, *one, one->op->pipe);
    one->not_before = now_ + 1;
    one->scheduler = static_cast<std::uint8_t>(scheduler);
  }
  for (const auto& [block, one] : shared_slot_) {
    const bool there =
        std::any_of(blocks_.begin(), blocks_.end(), [&, of = block](const auto& b) { return b.get() == of; });
    if (there) issue(*one, pipes_.latency(one->op->pipe));
  }
  return lanes;
}

// Executes one instruction of the group, whose result is there after `latency`. Returns whether the group is still
// there.
bool Sm::issue(IssueGroup& group, Cycle latency) {
  BlockContext& block = *group.block;
  const OpTiming& op = *group.op;
  const std::uint32_t from = group.at.pc;
  if (rotation_) check_rows(block, block.warps[group.warp]);
  if (starving_ == &group) starving_ = nullptr;
  latency += front_latency();
  if (op.exchanges) latency += machine_.shared.latency;
  ++statistics_.warp_instructions;
  count_lanes(group);
  released_ = met_others_ = false;
  try {
    block.core.step(block.block, *group.threads, group.mask, effects_);
    const auto passes = machine_.lsu.replays && !group.formed ? queue_.passes(block, group, effects_, machine_.l1.line)
                                                              : std::span<const LaneMask>();
    const bool parts = !passes.empty() && interweave_ && interweave_->parts_at_memory;
    if (parts) part_at_memory(group, op, passes);
    const bool known = !parts && note_results(group, op, effects_, now_ + latency);
    // The warp's next instruction is behind the replays of this one.
    if (!parts && !passes.empty()) group.not_before = std::max(group.not_before, now_ + passes.size());
    if (effects_.waiting != 0) wait(group);
    if (op.arrives) arrived_ = std::max(now_, arrived_ + machine_.front.barrier_interval);
    if (effects_.waiting != 0 || effects_.exited != 0) complete_meetings(group);
    const Cycle barrier = effects_.waiting != 0 && released_ ? barrier_end() - now_ : 0;
    if (group.formed && known) come_back(block, group, now_ + std::max(latency, barrier));
  } catch (...) {
    fail(block);
    return false;
  }
  if (effects_.exited != 0) complete_barriers(block);
  if (op.control) group.not_before = now_ + latency + (effects_.branched != 0 ? machine_.front.fetch_latency : 0);
  if (effects_.waiting != 0 && released_) group.not_before = barrier_end();
  return settle(group, from);
}

// The group's threads are where the instruction has brought them: the policy says how they go on.
bool Sm::settle(IssueGroup& group, std::uint32_t from) {
  BlockContext& block = *group.block;
  const std::uint32_t warp = group.warp;
  bool there = true;
  if (block.divergence->retire(group, effects_)) {
    const Cycle not_before = group.formed ? now_ : group.not_before;
    const auto groups = block.divergence->groups();
    there = std::find(groups.begin(), groups.end(), &group) != groups.end();
    pool_groups(block, not_before);
  }
  if ((there || group.formed) && watches_ && effects_.branched != 0) watch(group, from);
  if (there && !interweave_) evaluate(group);  // else when all of the cycle has issued
  if (released_ || met_others_) resume_others(block, warp);
  if (effects_.exited != 0 && end_block(block)) return false;
  return there;
}

// Returns whether the cycle of the results is `ready`; else memory gives it.
bool Sm::note_results(IssueGroup& group, const OpTiming& op, const machine::Effects& effects, Cycle ready) {
  BlockContext& block = *group.block;
  std::uint32_t access = Scoreboard::no_access;
  // Where a thread may have several instructions in flight, it does not wait for its stores.
  const bool waits = group.formed && !effects.accesses().empty() && (machine_.front.one_in_flight || op.defs != 0);
  if (!effects.accesses().empty())
    access = queue_.send(block, group, effects, op.bypass_l1, waits ? &group : nullptr,
                         op.defs != 0 || machine_.front.one_in_flight);
  if (!group.formed) note_registers(group, op, effects, access == Scoreboard::no_access ? ready : never, access);
  if (access != Scoreboard::no_access) take_completions();
  return !waits;
}

void Sm::note_registers(IssueGroup& group, const OpTiming& op, const machine::Effects& effects, Cycle ready,
                        std::uint32_t access) {
  if (effects.ran == 0) return;
  BlockContext& block = *group.block;
  Scoreboard& board = *block.warps[group.warp].board;
  const auto registers = block.work.timing.of(*group.at.code).registers(op);
  const unsigned slot = interweave_ ? static_cast<const Frontier&>(*block.divergence).slot_of(group) : 0;
  for (const std::uint32_t reg : registers.subspan(op.uses)) board.add(reg, effects.ran, ready, access, now_, slot);
  if (machine_.front.one_in_flight) board.add(Scoreboard::every_register, group.mask, ready, access, now_, slot);
  if (block.matrices.empty()) return;
  for (const std::uint32_t reg : registers.subspan(op.uses))
    matrix_of(block, group.warp).add(reg, LaneMask{1} << slot, ready, access, now_, slot);
}

// The lanes of the SIMD unit that the lanes of a static warp's group use.
std::span<const std::uint8_t> Sm::lanes_of(const IssueGroup& group) const {
  const std::size_t first = interweave_
                                ? std::size_t{group.slot / 2} * shape_.width + group.warp % 2 * machine::warp_size
                                : std::size_t{group.slot} * shape_.width;
  return std::span(lane_table_).subspan(first, machine::warp_size);
}

void Sm::count_lanes(const IssueGroup& group) {
  statistics_.thread_instructions += static_cast<unsigned>(std::popcount(group.mask));
  if (group.mask == ~LaneMask{0}) {  // a permutation uses every lane once
    ++full_issues_;
    return;
  }
  const std::uint8_t* const table = group.formed ? nullptr : lanes_of(group).data();
  for (LaneMask lanes = group.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    ++statistics_.lane_uses[(table ? table[lane] : lane) % machine::warp_size];
  }
}

// The group has jumped; where it only repeats what it did, others may have to run first.
void Sm::watch(IssueGroup& group, std::uint32_t from) {
  BlockContext& block = *group.block;
  if (block.spins.empty()) block.spins.resize(block.block.threads.size());
  bool all = true;
  for (LaneMask lanes = effects_.branched; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const machine::Thread& thread = *(*group.threads)[lane];
    if (effects_.target[lane] <= from) block.spins[thread.linear].see(thread, watch_epoch_);
    all &= block.spins[thread.linear].repeats_in(watch_epoch_);
  }
  if (all && block.divergence->yield(group)) pool_groups(block, group.formed ? now_ : group.not_before);
}

}  // namespace heddle::device::sim
