// The cycle of an SM, its blocks and its statistics; sm_issue.cpp has what happens to an instruction, sm_waiting.cpp
// what lets waiting threads go on.
#include "device/sim/sm.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

namespace heddle::device::sim {

namespace {

// With what depends on the machine.
PolicyOptions options_of(const MachineDescription& machine) {
  PolicyOptions options(machine.policies.options);
  if (options.is("home-lanes", "simd"))
    options.set("home-lanes", std::to_string(std::bit_floor(std::clamp(machine.simd_width, 1u, machine::warp_size))));
  return options;
}

}  // namespace

Sm::Sm(const MachineDescription& machine, unsigned index, MemoryPort& memory)
    : machine_(machine),
      index_(index),
      memory_(memory),
      options_(options_of(machine)),
      residency_(make_residency(machine.policies.residency, machine.residency, options_)),
      issue_policy_(make_issue(machine.policies.issue)),
      lanes_(make_lanes(machine.policies.lanes)),
      shape_{issue_policy_->interweaving() ? 2 * machine::warp_size : machine::warp_size,
             issue_policy_->interweaving() ? machine.residency.warps / 2 : machine.residency.warps},
      pipes_(machine),
      operands_(machine, residency_->warp_slots()),
      queue_(memory, make_memory_queue(machine.policies.memory_queue), index, residency_->warp_slots()),
      schedulers_(std::max(machine.front.schedulers, 1u)),
      all_groups_(schedulers_.size()),
      physical_(residency_->rotates() ? machine.residency.warps : 0) {
  for (Scheduler& scheduler : schedulers_) scheduler.policy = make_scheduler(machine.policies.scheduler);
  order_ = schedulers_.front().policy->order();
  for (std::uint32_t warp = 0; warp < std::max<std::uint32_t>(residency_->warp_slots(), shape_.warps); ++warp)
    for (unsigned thread = 0; thread < shape_.width; ++thread)
      lane_table_.push_back(static_cast<std::uint8_t>(lanes_->lane(thread, warp, shape_)));
  for (std::uint32_t slot = residency_->warp_slots(); slot-- > 0;) free_slots_.push_back(slot);
  const Residency& limits = machine.residency;
  if (residency_->rotates())
    rotation_ = std::make_unique<BlockRotation>(
        BlockRotation::Limits{limits.blocks, limits.threads, limits.warps,
                              residency_->keeps_live_registers() ? limits.registers : 0},
        statistics_.policy);
  if (const Interweaving* how = issue_policy_->interweaving()) {
    const SlotChooser::Rules rules{*how, options_.is("slot2", "any-free-group"), options_.number("ways"), shape_.warps,
                                   options_.is("fit", "any")};
    interweave_ = std::make_unique<Interweave>(
        Interweave{.rows = RowSet(machine),
                   .chooser = SlotChooser(rules, statistics_.policy),
                   .candidates = {},
                   .where = {},
                   .parts_at_memory = how->branches && machine.lsu.replays && options_.is("memory-splits", "on"),
                   .by_instruction = order_ == SchedulerOrder::by_instruction});
  }
}

void Sm::admit(GridWork& work, std::uint64_t linear, Cycle start) {
  machine::Site site;
  site.processor = index_;
  site.processors = machine_.sms;
  site.warps = machine_.residency.warps;
  site.cycle = &now_;
  site.cycle_ns = 1000.0 / machine_.clocks.sm_mhz;
  site.memory_epoch = &epoch_;
  account_residents();
  blocks_.push_back(std::make_unique<BlockContext>(work, linear, site));
  BlockContext& block = *blocks_.back();
  residency_->admitted(work.needs);
  resident_warps_ += block.warps.size();
  for (WarpContext& warp : block.warps) {
    warp.slot = static_cast<std::uint16_t>(free_slots_.back());
    free_slots_.pop_back();
  }
  DivergenceContext context{block.block, work.timing, *lanes_, options_, statistics_.policy, now_};
  for (const WarpContext& warp : block.warps) context.slots.push_back(warp.slot);
  context.pools = machine_.front.pools_by_warp ? static_cast<unsigned>(schedulers_.size()) : 1;
  context.sm_warps = machine_.residency.warps;
  context.wide = interweave_ != nullptr;
  block.divergence = make_divergence(machine_.policies.divergence, context);
  if (interweave_ && options_.is("scoreboard", "matrix")) block.matrices.resize((block.warps.size() + 1) / 2);
  if (!interweave_) block.pools.resize(machine_.front.pools_by_warp ? schedulers_.size() : 1, IssuePool(order_));
  join_rotation(block);
  pool_groups(block, start);
  ++epoch_;
}

void Sm::remove(BlockContext& block) {
  if (observer_) observer_->left(now_, block);
  account_residents();
  resident_warps_ -= block.warps.size();
  for (const WarpContext& warp : block.warps) free_slots_.push_back(warp.slot);
  std::sort(free_slots_.begin(), free_slots_.end(), std::greater<>());
  queue_.forget(block);
  if (rotation_) {
    if (block.active) give_rows(block);
    rotation_->remove(block.id);
    rotate_at_ = now_;  // others may have room
  }
  std::erase_if(returning_, [&](const Returning& returning) { return returning.block == &block; });
  std::make_heap(returning_.begin(), returning_.end());
  residency_->released(block.work.needs);
  ++epoch_;
  std::erase_if(blocks_, [&](const auto& other) { return other.get() == &block; });
  pools_changed();
}

void Sm::drop(const GridWork& work) {
  while (true) {
    const auto found =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& block) { return &block->work == &work; });
    if (found == blocks_.end()) return;
    remove(**found);
  }
}

// Whether the block has ended and is gone.
bool Sm::end_block(BlockContext& block) {
  if (!block.block.finished()) return false;
  for (const WarpContext& warp : block.warps)
    if (warp.outstanding != 0) return false;
  ended_.push_back({&block.work, now_ + 1, nullptr});
  ++statistics_.blocks;
  remove(block);
  return true;
}

void Sm::fail(BlockContext& block) {
  GridWork& work = block.work;
  ended_.push_back({&work, now_, std::current_exception()});
  drop(work);
}

void Sm::take_completions() {
  queue_.advance(now_);
  auto& done = queue_.done();
  for (const LoadStoreQueue::Done& one : done) {
    const Cycle ready = one.ready + pipes_.latency(PipeClass::lsu) + front_latency();
    if (rotation_)
      complete_write(one, ready);
    else
      one.block->warps[one.warp].board->complete(one.access, ready);
    if (!one.block->matrices.empty()) one.block->matrices[one.warp / 2].complete(one.access, ready);
    if (one.group) come_back(*one.block, *one.group, ready);
    evaluate_warp(*one.block, one.warp);
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    BlockContext* const block = done[i].block;
    if (!block || !block->block.finished()) continue;
    for (std::size_t j = i; j < done.size(); ++j)
      if (done[j].block == block) done[j].block = nullptr;
    end_block(*block);
  }
  done.clear();
}

void Sm::come_back(BlockContext& block, IssueGroup& group, Cycle at) {
  returning_.push_back({std::max(at, now_ + 1), next_return_++, &block, &group});
  std::push_heap(returning_.begin(), returning_.end());
}

// Threads whose instruction is done form warps anew.
void Sm::take_returns() {
  while (!returning_.empty() && returning_.front().at <= now_) {
    std::pop_heap(returning_.begin(), returning_.end());
    const Returning one = returning_.back();
    returning_.pop_back();
    const DivergencePolicy::Returned back = one.block->divergence->write_back(*one.group);
    if (back.more) come_back(*one.block, *one.group, now_ + machine_.front.issue_interval);
    if (back.changed) pool_groups(*one.block, now_);
  }
}

void Sm::evaluate_warp(BlockContext& block, std::uint32_t warp) {
  for (IssueGroup* group : block.divergence->groups())
    if (group->warp == warp || group->formed || (interweave_ && group->warp / 2 == warp / 2)) evaluate(*group);
}

// When the group can issue, as far as is known now.
void Sm::evaluate(IssueGroup& group) {
  BlockContext& block = *group.block;
  block.changed = true;
  if (group.mask == 0) {
    group.ready = never;
    group.wait = Wait::end;
    const bool waits = std::any_of(group.threads->begin(), group.threads->end(), [](const machine::Thread* thread) {
      return thread && thread->state != machine::ThreadState::exited;
    });
    if (waits) group.wait = Wait::barrier;
    note_ready(group);
    return;
  }
  const CodeTiming& code = block.work.timing.of(*group.at.code);
  const OpTiming& op = code.at(group.at.pc);
  WarpContext& warp = block.warps[group.warp];
  group.op = &op;
  group.ready = std::max(group.not_before, group.held_until);
  group.wait = Wait::control;
  const auto later = [&](const Scoreboard::Check& check) {
    if (check.ready <= group.ready) return;
    group.ready = check.ready;
    group.wait = check.memory ? Wait::memory : Wait::result;
  };
  if (group.formed) {
    // Its threads have nothing under way but stores.
    const bool outstanding = std::any_of(block.warps.begin(), block.warps.end(),
                                         [](const WarpContext& one) { return one.outstanding != 0; });
    if (op.fence && outstanding) later({never, true});
  } else {
    const Scoreboard::Check exact = warp.board->check(code.registers(op), group.mask, now_);
    later(exact);
    if (!block.matrices.empty()) later(check_matrix(group, exact));
    const unsigned entries = machine_.front.scoreboard_entries;
    if (entries != 0) later(warp.board->room(entries, interweave_ && issue_policy_->interweaving()->branches));
    if (op.fence && warp.outstanding != 0) later({never, true});
  }
  note_ready(group);
  for (Scheduler& scheduler : schedulers_) scheduler.wake = std::min(scheduler.wake, std::max(group.ready, now_));
}

bool Sm::run(Cycle end, std::uint64_t orders) {
  orders_ = orders;
  while (now_ < end) {
    if (!begun_) {
      begun_ = true;
      issued_ = false;
      turn_ = 0;
      if (!queue_.empty() || memory_.next_event() <= now_) take_completions();
      take_returns();
      if (machine_.lsu.replays) take_replays();
      if (now_ >= starving_until_) find_starving();
    }
    if (interweave_ && !issue_together()) return false;
    // Another one is the first in each cycle: where they share pipes, none starves.
    const auto count = static_cast<unsigned>(schedulers_.size());
    for (; !interweave_ && turn_ < count; ++turn_)
      if (!turn(static_cast<unsigned>((now_ + turn_) % count))) return false;
    begun_ = false;
    if (rotation_) rotate();
    if (audits_) check_all();
    now_ = issued_ ? now_ + 1 : std::clamp(next_event(), now_ + 1, end);
  }
  return true;
}

Cycle Sm::next_event() const {
  Cycle next = memory_.next_event();
  if (!queue_.empty()) next = std::min(next, now_ + 1);
  if (blocks_.empty()) return next;
  if (rotation_) next = std::min(next, rotate_at_);
  if (!returning_.empty()) next = std::min(next, returning_.front().at);
  for (const Scheduler& scheduler : schedulers_) next = std::min(next, std::max(scheduler.wake, scheduler.free));
  return next;
}

void Sm::skip_to(Cycle cycle) {
  if (cycle <= now_) return;
  for (Scheduler& scheduler : schedulers_) {
    account(scheduler);
    scheduler.accounted = cycle;
    scheduler.use = SlotUse::idle;
    scheduler.wake = cycle;
  }
  account_residents();
  statistics_.cycles += now_ - counted_;
  counted_ = resident_since_ = now_ = cycle;
}

void Sm::account_residents() {
  statistics_.resident_warp_cycles += resident_warps_ * (now_ - resident_since_);
  resident_since_ = now_;
}

// Enters the cycles that have passed into the statistics.
void Sm::account(Scheduler& scheduler) {
  const Cycle cycles = now_ - scheduler.accounted, begin = scheduler.accounted;
  scheduler.accounted = now_;
  statistics_.slots += cycles;
  statistics_.uses[static_cast<unsigned>(scheduler.use)] += cycles;
  const unsigned stall = scheduler.use == SlotUse::idle ? 0 : scheduler.use == SlotUse::memory ? 1 : 2;
  const unsigned bucket = scheduler.use == SlotUse::issue ? scheduler.bucket : stall;
  statistics_.lanes[bucket] += cycles;
  if (observer_ && cycles != 0) observer_->slots(begin, now_, scheduler.use, bucket);
}

SmStatistics Sm::statistics() {
  for (Scheduler& scheduler : schedulers_) account(scheduler);
  account_residents();
  statistics_.cycles += now_ - counted_;
  counted_ = now_;
  for (std::uint64_t& uses : statistics_.lane_uses) uses += full_issues_;
  full_issues_ = 0;
  for (unsigned i = 0; i < pipe_classes; ++i) {
    const auto pipe = static_cast<PipeClass>(i);
    statistics_.pipe_cycles[i] = interweave_ ? interweave_->rows.busy_cycles(pipe) : pipes_.busy_cycles(pipe);
    statistics_.pipe_counts[i] = pipes_.count(static_cast<PipeClass>(i));
  }
  return statistics_;
}

bool Sm::all_repeat() const {
  for (const auto& block : blocks_) {
    for (const machine::Thread& thread : block->block.threads) {
      if (thread.state != machine::ThreadState::runnable) continue;
      if (block->spins.empty() || !block->spins[thread.linear].repeats_in(watch_epoch_)) return false;
    }
  }
  return true;
}

}  // namespace heddle::device::sim
