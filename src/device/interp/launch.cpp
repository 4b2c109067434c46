#include "device/interp/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "device/machine/waiting_text.hpp"
#include "heddle/error.hpp"

namespace heddle::device::interp {
namespace {

constexpr unsigned warp_turn = 64;               // steps of a warp before the next one's
constexpr std::uint64_t fairness_period = 512;   // steps after which the groups behind the first one get as many
constexpr std::uint64_t gather_patience = 8192;  // steps a gathering group waits for threads that only spin
constexpr std::uint64_t watch_after = 50'000;    // thread instructions without a change of memory
constexpr std::uint64_t idle_turn = 10'000;      // the same: then other blocks get their turn early

}  // namespace

Launch::Launch(InterpState& interpreter, const emulated::KernelRun& run)
    : interpreter_(interpreter),
      state_(interpreter.device),
      range_(run.range),
      grid_(run.function.kernel(), run.config, run.arguments, interpreter.next_grid_id++, run.footprint),
      core_(grid_),
      next_block_(run.range.begin),
      stop_(run.stop),
      no_progress_(interpreter.clock(), quiet_ns(interpreter.options.deadlock_timeout)) {
  std::lock_guard turn(state_.turn);
  interpreter_.repeating_since_epoch[grid_.grid_id] = InterpState::not_repeating;
}

Launch::~Launch() {
  std::lock_guard turn(state_.turn);
  interpreter_.repeating_since_epoch.erase(grid_.grid_id);
}

void Launch::admit() {
  resident_.push_back(std::make_unique<Resident>(grid_, next_block_++));
  ++state_.machine.memory_epoch;
}

void Launch::run() {
  const std::uint64_t limit =
      grid_.config.cooperative ? range_.size() : std::max<std::uint64_t>(interpreter_.options.max_resident_blocks, 1);
  const auto limit_ns = std::chrono::nanoseconds(interpreter_.options.launch_timeout).count();
  if (limit_ns != 0) end_ns_ = interpreter_.clock().now_ns() + static_cast<std::uint64_t>(limit_ns);
  while (more_blocks() || !resident_.empty()) {
    std::lock_guard turn(state_.turn);
    do {
      if (more_blocks() && resident_.size() < limit) admit();
    } while (grid_.config.cooperative && more_blocks());
    if (resident_.empty()) return;  // stopped while it waited for this turn
    // The oldest block runs until it ends or its turn is over; then it goes to the end of the line and another is
    // admitted.
    std::unique_ptr<Resident> oldest = std::move(resident_.front());
    resident_.pop_front();
    const bool finished = run_block(*oldest) == Turn::finished;
    if (!finished) resident_.push_back(std::move(oldest));
    if (!finished) watch();
    if (end_ns_ != 0 && (more_blocks() || !resident_.empty())) check_time();
  }
}

Launch::Turn Launch::run_block(Resident& resident) {
  Block& block = resident.block;
  const std::uint64_t end = core_.instructions() + interpreter_.options.block_turn;
  std::uint64_t turn_epoch = memory_epoch(), turn_instructions = core_.instructions();
  while (!block.finished()) {
    bool moved = false;
    from_first_ = false;
    for (std::size_t warp = 0; warp < block.warps.size() && !from_first_; ++warp) moved |= run_warp(resident, warp);
    if (block.finished()) break;
    moved |= complete_barriers(block);
    if (!moved) report_blocked(block);
    if (core_.instructions() >= end) return Turn::out_of_budget;
    if (memory_epoch() != turn_epoch) {
      turn_epoch = memory_epoch();
      turn_instructions = core_.instructions();
    } else if (core_.instructions() - turn_instructions > idle_turn * block.warps.size()) {
      return Turn::out_of_budget;
    }
    watch_spinning_ = memory_epoch() == seen_epoch_ && core_.instructions() - seen_instructions_ > watch_after;
    if (memory_epoch() != seen_epoch_) {
      seen_epoch_ = memory_epoch();
      seen_instructions_ = core_.instructions();
    }
  }
  return Turn::finished;
}

bool Launch::run_warp(Resident& resident, std::size_t warp) {
  bool moved = false;
  for (unsigned i = 0; i < warp_turn; ++i) {
    if (!step_warp(resident, warp)) return moved;
    moved = true;
    if (effects_.yields || from_first_) return true;
  }
  return moved;
}

// The first thread of the group that runs next: the first one by runs_before, or, when it is others' turn, one of the
// group that has waited longest. Null when no thread is in that state.
const machine::Thread* Launch::choose(const Resident& resident, std::size_t warp, ThreadState state, bool fair) const {
  const machine::Warp& threads = resident.block.warps[warp];
  const Thread* best = nullptr;
  const auto last_run = [&](const Thread& thread) { return resident.threads[thread.linear].last_run; };
  for (unsigned lane = 0; lane < threads.count; ++lane) {
    const Thread& thread = resident.block.thread(threads, lane);
    if (thread.state != state) continue;
    if (!best || (fair ? last_run(thread) < last_run(*best) : runs_before(thread, *best))) best = &thread;
  }
  return best;
}

namespace {

bool all_run(const machine::Block& block) {
  return std::all_of(block.threads.begin(), block.threads.end(), [](const machine::Thread& thread) {
    return thread.state == machine::ThreadState::runnable || thread.state == machine::ThreadState::exited;
  });
}

// The lanes that are in the same state at the same place as `leader`, which is one of them.
machine::LaneMask group_of(const machine::Block& block, const machine::Warp& warp, const machine::Thread& leader) {
  machine::LaneMask group = 0;
  for (unsigned lane = 0; lane < warp.count; ++lane) {
    const machine::Thread& thread = block.thread(warp, lane);
    if (thread.state == leader.state && same_place(thread, leader)) group |= machine::LaneMask{1} << lane;
  }
  return group;
}

machine::LaneMask in_state(const machine::Block& block, const machine::Warp& warp, machine::ThreadState state) {
  machine::LaneMask lanes = 0;
  for (unsigned lane = 0; lane < warp.count; ++lane)
    if (block.thread(warp, lane).state == state) lanes |= machine::LaneMask{1} << lane;
  return lanes;
}

// Calls f(lane) for each lane of the mask, in ascending order.
template <class F>
void for_each_lane(machine::LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace

bool Launch::step_warp(Resident& resident, std::size_t warp) {
  WarpTurns& turns = resident.warps[warp];
  ++turns.steps;
  const bool fair = turns.lead_steps >= fairness_period;
  const Thread* leader = choose(resident, warp, ThreadState::runnable, fair);
  const Thread* gathering = choose(resident, warp, ThreadState::gathering, false);
  if (gathering && (!leader || ++turns.gather_steps > gather_patience)) {
    turns.gather_steps = 0;
    gather(resident, warp, *gathering);
    return true;
  }
  const machine::Warp& threads = resident.block.warps[warp];
  if (!leader) return complete_meetings(resident.block, threads);
  const LaneMask group = group_of(resident.block, threads, *leader);
  const bool alone = group == in_state(resident.block, threads, ThreadState::runnable);
  turns.lead_steps = alone ? 0 : (turns.lead_steps + 1) % (2 * fairness_period);
  run_group(resident, warp, group);
  return true;
}

void Launch::run_group(Resident& resident, std::size_t warp, LaneMask group) {
  Block& block = resident.block;
  const machine::Warp& threads = block.warps[warp];
  for_each_lane(group,
                [&](unsigned lane) { resident.threads[threads.first + lane].last_run = resident.warps[warp].steps; });
  const std::uint32_t from = block.thread(threads, static_cast<unsigned>(std::countr_zero(group))).pc();
  core_.step(block, threads, group, effects_);
  if (effects_.branched != 0 && watch_spinning_) watch_branches(resident, threads, from);
  const machine::Involves kind = effects_.waiting != 0 ? effects_.operation->involves : machine::Involves::none;
  for_each_lane(effects_.waiting, [&](unsigned lane) {
    Thread& thread = block.thread(threads, lane);
    switch (kind) {
      case machine::Involves::gathering: thread.state = ThreadState::gathering; break;
      case machine::Involves::meeting:
        thread.meeting_mask = effects_.members[lane];
        thread.state = ThreadState::meeting;
        break;
      default:
        if (!core_.arrive(block, thread, effects_.barrier[lane])) break;
        core_.release(block, effects_.barrier[lane].id);
        from_first_ = all_run(block);
        break;
    }
  });
  if (kind == machine::Involves::meeting || effects_.exited != 0) complete_meetings(block, threads);
}

// `from`: the place that they have jumped from.
void Launch::watch_branches(Resident& resident, const machine::Warp& warp, std::uint32_t from) {
  for_each_lane(effects_.branched, [&](unsigned lane) {
    const std::uint32_t number = warp.first + lane;
    if (effects_.target[lane] <= from)
      resident.threads[number].spin.see(resident.block.threads[number], memory_epoch());
  });
}

void Launch::gather(Resident& resident, std::size_t warp, const Thread& leader) {
  Block& block = resident.block;
  const machine::Warp& threads = block.warps[warp];
  const LaneMask members = group_of(block, threads, leader);
  core_.perform(block, threads.lanes, members, effects_);
  for_each_lane(members, [&](unsigned lane) {
    block.thread(threads, lane).state = ThreadState::runnable;
    resident.threads[threads.first + lane].last_run = resident.warps[warp].steps;
  });
}

// A group of a .sync operation goes on when every lane of its mask has exited or waits at the same operation with the
// same mask.
bool Launch::complete_meetings(Block& block, const machine::Warp& warp) {
  bool any = false;
  for (unsigned leader = 0; leader < warp.count; ++leader) {
    if (block.thread(warp, leader).state != ThreadState::meeting) continue;
    const LaneMask members = Block::met(warp.lanes, leader);
    if (members == 0) continue;
    core_.perform(block, warp.lanes, members, effects_);
    for_each_lane(members, [&](unsigned lane) { block.thread(warp, lane).state = ThreadState::runnable; });
    any = true;
  }
  return any;
}

// Barriers that threads complete by exiting.
bool Launch::complete_barriers(Block& block) {
  bool any = false;
  for (unsigned id = 0; id < Block::barrier_count; ++id) {
    const machine::Barrier& barrier = block.barriers[id];
    if (!barrier.active || !machine::Core::is_complete(block, barrier)) continue;
    core_.release(block, id);
    any = true;
  }
  return any;
}

// Called when a block has used up its turn: looks for the case that every thread of every resident block does the same
// again and again while memory does not change.
void Launch::watch() {
  const std::uint64_t limit = interpreter_.options.max_resident_blocks;
  const bool more = more_blocks() && resident_.size() < std::max<std::uint64_t>(limit, 1);
  const bool idle =
      memory_epoch() == seen_epoch_ && core_.instructions() - seen_instructions_ > interpreter_.options.idle_budget;
  const bool repeated = !more && all_repeat();
  if (more || (!repeated && !idle)) {
    interpreter_.repeating_since_epoch[grid_.grid_id] = InterpState::not_repeating;
    no_progress_.restart();
    return;
  }
  interpreter_.repeating_since_epoch[grid_.grid_id] = memory_epoch();
  const bool others = std::any_of(interpreter_.repeating_since_epoch.begin(), interpreter_.repeating_since_epoch.end(),
                                  [&](const auto& entry) { return entry.second != memory_epoch(); });
  if (!others && no_progress_.over()) report_spinning(repeated);
}

bool Launch::all_repeat() const {
  const std::uint64_t epoch = memory_epoch();
  for (const auto& resident : resident_)
    for (const Thread& thread : resident->block.threads) {
      if (thread.state == ThreadState::gathering) return false;
      if (thread.state == ThreadState::runnable && !resident->threads[thread.linear].spin.repeats_in(epoch))
        return false;
    }
  return true;
}

void Launch::check_time() const {
  if (interpreter_.clock().now_ns() < end_ns_) return;
  std::vector<machine::StandingBlock> standing;
  for (std::size_t i = 0; i < std::min(resident_.size(), machine::most_standing_blocks); ++i)
    standing.push_back({&core_, &resident_[i]->block});
  const double seconds = std::chrono::duration<double>(interpreter_.options.launch_timeout).count();
  throw Error(KernelFault::timeout,
              machine::time_limit_text(grid_.kernel.ptx().name, seconds, standing, resident_.size()));
}

void Launch::report_blocked(const Block& block) const {
  throw Error(ErrorCode::deadlock, machine::blocked_text(core_, block));
}

void Launch::report_spinning(bool repeated) const {
  const Block* block = &resident_.front()->block;
  for (const auto& candidate : resident_) {
    const Dim3& index = candidate->block.index;
    if (index.x + index.y + index.z == 0) block = &candidate->block;
  }
  const std::string why = repeated ? "every thread repeats the same steps and nothing changes in memory"
                                   : "nothing has changed in memory for a very long time";
  throw Error(ErrorCode::deadlock,
              fmt::format("{} ({} under way, {} have not begun)", machine::spinning_text(core_, *block, why),
                          base::counted(resident_.size(), "block"), range_.end - next_block_));
}

}  // namespace heddle::device::interp
