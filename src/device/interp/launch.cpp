#include "device/interp/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/clock.hpp"
#include "heddle/error.hpp"

namespace heddle::device::interp {
namespace {

constexpr std::uint64_t parameter_alignment = 256;
constexpr unsigned warp_turn = 64;                     // steps of a warp before the next one's
constexpr std::uint64_t fairness_period = 512;         // steps after which the groups behind the first one get as many
constexpr std::uint64_t gather_patience = 8192;        // steps a gathering group waits for threads that only spin
constexpr std::uint64_t watch_after = 50'000;          // thread instructions without a change of memory
constexpr std::uint64_t idle_turn = 10'000;            // the same: then other blocks get their turn early
constexpr std::uint64_t stuck_grace_ns = 100'000'000;  // the host may write to memory that a kernel waits for

}  // namespace

Launch::Launch(LoadedFunction& function, const LaunchConfig& config, BlockRange range,
               std::span<const std::byte> arguments, const Footprint* footprint, StopFlag* stop)
    : context_{function,
               config,
               range,
               {},
               nullptr,
               function.module().state().next_grid_id++,
               function.module().state(),
               footprint},
      executor_(context_),
      next_block_(range.begin),
      stop_(stop) {
  context_.parameters.resize(arguments.size() + parameter_alignment);
  const auto at = align_up(reinterpret_cast<std::uint64_t>(context_.parameters.data()), parameter_alignment);
  context_.parameter_data = reinterpret_cast<std::byte*>(at);
  if (!arguments.empty()) std::memcpy(context_.parameter_data, arguments.data(), arguments.size());
  if (config.cooperative)
    context_.state.memory.add({Allocation::Kind::variable, workspace(), grid_workspace_bytes, "grid workspace"});
  std::lock_guard turn(context_.state.turn);
  context_.state.stuck[context_.grid_id] = DeviceState::not_stuck;
}

std::uint64_t Launch::workspace() const { return reinterpret_cast<std::uint64_t>(context_.grid_workspace.data()); }

Launch::~Launch() {
  if (context_.config.cooperative) context_.state.memory.remove(workspace());
  std::lock_guard turn(context_.state.turn);
  context_.state.stuck.erase(context_.grid_id);
}

void Launch::admit() {
  resident_.push_back(std::make_unique<Block>(context_, next_block_++));
  ++context_.state.memory_epoch;
}

void Launch::run() {
  const std::uint64_t limit = context_.config.cooperative
                                  ? context_.range.size()
                                  : std::max<std::uint64_t>(context_.state.options.max_resident_blocks, 1);
  while (more_blocks() || !resident_.empty()) {
    std::lock_guard turn(context_.state.turn);
    do {
      if (more_blocks() && resident_.size() < limit) admit();
    } while (context_.config.cooperative && more_blocks());
    // The oldest block runs until it ends or its turn is over; then it goes to the end of the line and another is
    // admitted.
    std::unique_ptr<Block> block = std::move(resident_.front());
    resident_.pop_front();
    const bool finished = run_block(*block) == Turn::finished;
    if (!finished) resident_.push_back(std::move(block));
    if (!finished) watch();
  }
}

Launch::Turn Launch::run_block(Block& block) {
  const std::uint64_t end = context_.instructions + context_.state.options.block_turn;
  std::uint64_t turn_epoch = context_.state.memory_epoch, turn_instructions = context_.instructions;
  while (!block.finished()) {
    bool moved = false;
    for (Warp& warp : block.warps) moved |= run_warp(block, warp);
    if (block.finished()) break;
    moved |= complete_barriers(block);
    if (!moved) report_blocked(block);
    if (context_.instructions >= end) return Turn::out_of_budget;
    if (context_.state.memory_epoch != turn_epoch) {
      turn_epoch = context_.state.memory_epoch;
      turn_instructions = context_.instructions;
    } else if (context_.instructions - turn_instructions > idle_turn * block.warps.size()) {
      return Turn::out_of_budget;
    }
    context_.watch_spinning =
        context_.state.memory_epoch == seen_epoch_ && context_.instructions - seen_instructions_ > watch_after;
    if (context_.state.memory_epoch != seen_epoch_) {
      seen_epoch_ = context_.state.memory_epoch;
      seen_instructions_ = context_.instructions;
    }
  }
  return Turn::finished;
}

bool Launch::run_warp(Block& block, Warp& warp) {
  bool moved = false;
  for (unsigned i = 0; i < warp_turn; ++i) {
    if (!step_warp(block, warp)) return moved;
    moved = true;
    if (executor_.take_yield()) return true;
  }
  return moved;
}

// The first thread of the group that runs next: the first one by runs_before, or, when it is others' turn, one of the
// group that has waited longest. Null when no thread is in that state.
Thread* Launch::choose(Block& block, Warp& warp, ThreadState state, bool fair) const {
  Thread* best = nullptr;
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    Thread& thread = block.threads[warp.first + i];
    if (thread.state != state) continue;
    if (!best || (fair ? thread.last_run < best->last_run : runs_before(thread, *best))) best = &thread;
  }
  return best;
}

bool Launch::step_warp(Block& block, Warp& warp) {
  ++warp.steps;
  const bool fair = warp.lead_steps >= fairness_period;
  Thread* leader = choose(block, warp, ThreadState::runnable, fair);
  Thread* gathering = choose(block, warp, ThreadState::gathering, false);
  if (gathering && (!leader || ++warp.gather_steps > gather_patience)) {
    warp.gather_steps = 0;
    gather(block, warp, *gathering);
    return true;
  }
  if (!leader) return complete_meetings(block, warp);
  bool alone = true;
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    const Thread& other = block.threads[warp.first + i];
    if (other.state == ThreadState::runnable && !same_place(other, *leader)) alone = false;
  }
  warp.lead_steps = alone ? 0 : (warp.lead_steps + 1) % (2 * fairness_period);
  run_group(block, warp, *leader);
  return true;
}

void Launch::run_group(Block& block, Warp& warp, const Thread& leader) {
  Thread* group[32];
  unsigned count = 0;
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    Thread& thread = block.threads[warp.first + i];
    if (thread.state == ThreadState::runnable && same_place(thread, leader)) group[count++] = &thread;
  }
  const ptx::Instruction* inst = leader.instruction();
  const Involves kind = inst ? involves(*inst) : Involves::nobody;
  bool met = false;
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = *group[i];
    thread.last_run = warp.steps;
    if (kind == Involves::nobody) {
      executor_.step(block, thread);
      met |= thread.state == ThreadState::exited;
    } else if (executor_.guard_holds(block, thread)) {
      switch (kind) {
        case Involves::gathering: thread.state = ThreadState::gathering; break;
        case Involves::meeting:
          thread.meeting_mask = executor_.member_mask(block, thread);
          thread.state = ThreadState::meeting;
          met = true;
          break;
        default: arrive(block, thread); break;
      }
    }
  }
  if (met) complete_meetings(block, warp);
}

void Launch::gather(Block& block, Warp& warp, const Thread& leader) {
  Thread* members[32] = {};
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    Thread& thread = block.threads[warp.first + i];
    if (thread.state == ThreadState::gathering && same_place(thread, leader)) members[i] = &thread;
  }
  executor_.warp_operation(block, members);
  for (Thread* member : members) {
    if (!member) continue;
    member->state = ThreadState::runnable;
    member->last_run = warp.steps;
  }
}

// A group of a .sync operation goes on when every lane of its mask has exited or waits at the same operation with the
// same mask.
bool Launch::complete_meetings(Block& block, Warp& warp) {
  bool any = false;
  for (std::uint32_t first = 0; first < warp.count; ++first) {
    const Thread& leader = block.threads[warp.first + first];
    if (leader.state != ThreadState::meeting) continue;
    const ptx::Instruction& wanted = *leader.instruction();
    Thread* members[32] = {};
    bool complete = true;
    for (std::uint32_t lane = 0; lane < warp.count && complete; ++lane) {
      if (!((leader.meeting_mask >> lane) & 1)) continue;
      Thread& thread = block.threads[warp.first + lane];
      if (thread.state == ThreadState::exited) continue;
      const bool here = thread.state == ThreadState::meeting && thread.meeting_mask == leader.meeting_mask &&
                        thread.instruction()->opcode == wanted.opcode &&
                        thread.instruction()->modifiers == wanted.modifiers;
      complete = here;
      members[lane] = &thread;
    }
    if (!complete) continue;
    executor_.warp_operation(block, members);
    for (Thread* member : members)
      if (member) member->state = ThreadState::runnable;
    any = true;
  }
  return any;
}

void Launch::arrive(Block& block, Thread& thread) {
  const Executor::BarrierUse use = executor_.barrier_use(block, thread);
  Barrier& barrier = block.barriers[use.id];
  const bool counted = use.threads != 0;
  const std::uint32_t expected = counted ? use.threads : block.whole();
  if (barrier.active && (barrier.expected != expected || barrier.counted != counted)) {
    const auto named = [](bool is_counted, std::uint32_t threads) {
      return is_counted ? fmt::format("{} threads", threads) : std::string("the whole block");
    };
    executor_.fault(fmt::format("barrier {} is used for {} here, while others wait there for {}", use.id,
                                named(counted, expected), named(barrier.counted, barrier.expected)));
  }
  if (!barrier.active) barrier.by_thread.assign(block.threads.size(), 0);
  barrier.active = true;
  barrier.counted = counted;
  barrier.expected = expected;
  ++barrier.by_thread[thread.linear];
  ++barrier.arrived;
  if (use.predicate) ++barrier.holding;
  if (use.waits) {
    thread.state = ThreadState::at_barrier;
    thread.barrier = use.id;
  } else {
    ++thread.frame().pc;
  }
  if (is_complete(block, barrier)) complete_barrier(block, use.id);
}

// A barrier of the whole block is complete when every thread has arrived or exited. One with a number of threads is
// when the warps that have come to it make up that number: threads of those that have exited count, and the last warp
// of the block counts in full.
bool Launch::is_complete(const Block& block, const Barrier& barrier) const {
  if (barrier.arrived + (block.whole() - block.alive) < barrier.expected) return false;  // not even at best
  std::uint32_t there = 0;
  bool all = true;
  for (const Warp& warp : block.warps) {
    std::uint32_t arrived = 0;
    bool whole_warp = true;
    for (std::uint32_t i = warp.first; i < warp.first + warp.count; ++i) {
      arrived += barrier.by_thread[i];
      whole_warp &= barrier.by_thread[i] != 0 || block.threads[i].state == ThreadState::exited;
    }
    all &= whole_warp;
    if (arrived != 0) there += whole_warp ? std::max<std::uint32_t>(arrived, 32) : arrived;
  }
  return barrier.counted ? there >= barrier.expected : all;
}

void Launch::complete_barrier(Block& block, unsigned id) {
  const Barrier done = block.barriers[id];
  block.barriers[id] = {};
  for (Thread& thread : block.threads) {
    if (thread.state != ThreadState::at_barrier || thread.barrier != id) continue;
    executor_.leave_barrier(block, thread, done);
    thread.state = ThreadState::runnable;
  }
}

// Barriers that threads complete by exiting.
bool Launch::complete_barriers(Block& block) {
  bool any = false;
  for (unsigned id = 0; id < Block::barrier_count; ++id) {
    const Barrier& barrier = block.barriers[id];
    if (!barrier.active || !is_complete(block, barrier)) continue;
    complete_barrier(block, id);
    any = true;
  }
  return any;
}

// Called when a block has used up its turn: looks for the case that every thread of every resident block does the same
// again and again while memory does not change.
void Launch::watch() {
  DeviceState& state = context_.state;
  const std::uint64_t limit = state.options.max_resident_blocks;
  const bool more = more_blocks() && resident_.size() < std::max<std::uint64_t>(limit, 1);
  const bool idle =
      state.memory_epoch == seen_epoch_ && context_.instructions - seen_instructions_ > state.options.idle_budget;
  const bool repeated = !more && all_repeat();
  if (more || (!repeated && !idle)) {
    state.stuck[context_.grid_id] = DeviceState::not_stuck;
    stuck_since_ns_ = 0;
    return;
  }
  state.stuck[context_.grid_id] = state.memory_epoch;
  const bool others = std::any_of(state.stuck.begin(), state.stuck.end(),
                                  [&](const auto& entry) { return entry.second != state.memory_epoch; });
  const std::uint64_t now = state.clock().now_ns();
  if (stuck_since_ns_ == 0) stuck_since_ns_ = now;
  if (!others && now - stuck_since_ns_ > stuck_grace_ns) report_spinning(repeated);
}

bool Launch::all_repeat() const {
  const std::uint64_t epoch = context_.state.memory_epoch;
  for (const auto& block : resident_)
    for (const Thread& thread : block->threads) {
      if (thread.state == ThreadState::gathering) return false;
      if (thread.state == ThreadState::runnable && thread.spin.repeated_epoch != epoch) return false;
    }
  return true;
}

namespace {

const char* describe(ThreadState state) {
  switch (state) {
    case ThreadState::runnable: return "turning in a loop";
    case ThreadState::gathering:
    case ThreadState::meeting: return "waiting for other lanes of the warp";
    case ThreadState::at_barrier: return "waiting at barrier";
    case ThreadState::exited: break;
  }
  return "gone";
}

}  // namespace

// "threads 0-31 waiting at barrier 0, line 12; thread 32 ...": neighbours at the same place are put together.
std::string Launch::waiting_threads(const Block& block) const {
  std::string text;
  constexpr int most = 6;
  int groups = 0;
  for (std::size_t i = 0; i < block.threads.size();) {
    const Thread& first = block.threads[i];
    std::size_t end = i + 1;
    const auto alike = [&](const Thread& other) {
      if (other.state != first.state) return false;
      return other.state == ThreadState::exited || same_place(other, first);
    };
    while (end < block.threads.size() && alike(block.threads[end])) ++end;
    if (first.state != ThreadState::exited) {
      if (++groups > most) return text + "; and others";
      const ptx::Instruction* inst = first.instruction();
      text += text.empty() ? "" : "; ";
      text += end - i == 1 ? fmt::format("thread {}", i) : fmt::format("threads {} to {}", i, end - 1);
      text += fmt::format(" {}", describe(first.state));
      if (first.state == ThreadState::at_barrier) text += fmt::format(" {}", first.barrier);
      if (first.state == ThreadState::meeting) text += fmt::format(" named in the mask {:#010x}", first.meeting_mask);
      if (inst) text += fmt::format(" at PTX line {}", inst->where.line);
    }
    i = end;
  }
  if (block.alive < block.threads.size())
    text += fmt::format("; {} of {} threads have exited", block.threads.size() - block.alive, block.threads.size());
  return text;
}

void Launch::report_blocked(const Block& block) const {
  const Thread* first = nullptr;
  for (const Thread& thread : block.threads)
    if (!first && thread.state != ThreadState::exited) first = &thread;
  throw Error(ErrorCode::deadlock, executor_.place(block, *first) +
                                       ": deadlock, no thread of the block can ever go on: " + waiting_threads(block));
}

void Launch::report_spinning(bool repeated) const {
  const Block* block = resident_.front().get();
  for (const auto& candidate : resident_)
    if (candidate->index.x + candidate->index.y + candidate->index.z == 0) block = candidate.get();
  const Thread* first = nullptr;
  for (const Thread& thread : block->threads)
    if (thread.state == ThreadState::runnable && (!first || first->state == ThreadState::exited)) first = &thread;
  if (!first) first = &block->threads.front();
  const std::string why = repeated ? "every thread repeats the same steps and nothing changes in memory"
                                   : "nothing has changed in memory for a very long time";
  throw Error(ErrorCode::deadlock, fmt::format("{}: deadlock, {}: {} ({} blocks are under way, {} have not begun)",
                                               executor_.place(*block, *first), why, waiting_threads(*block),
                                               resident_.size(), context_.range.end - next_block_));
}

}  // namespace heddle::device::interp
