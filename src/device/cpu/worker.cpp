#include "device/cpu/worker.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "device/cpu/fault_report.hpp"
#include "device/cpu/meeting.hpp"
#include "device/cpu/sanitizer.hpp"
#include "device/cpu/services.hpp"

namespace heddle::device::cpu {

using Activity = WorkerState::Activity;

namespace {

// Turns of a spin loop that a warp takes in place when no other warp of its block can run: a value that another worker
// is about to write comes sooner than a new block could start.
constexpr unsigned turns_in_place = 8;
// Blocks kept for reuse, with their stacks.
constexpr std::size_t most_spares = 8;
// The recovery stack only carries one call.
constexpr std::size_t recovery_bytes = 64 * 1024;
constexpr unsigned rounds_between_clock_reads = 256;
constexpr unsigned rounds_before_yield = 1024;
constexpr unsigned rounds_between_admissions = 64;

}  // namespace

Worker::Worker(unsigned index, ReadyJobs& jobs, Services& services) : state_(index), jobs_(jobs), services_(services) {
  recovery_stack_ = services_.stacks.take(recovery_bytes);
  if (recovery_stack_ == nullptr) throw std::bad_alloc();
  direct_.block.worker = this;
  direct_.block.context.worker = index;
  direct_.warp.block = &direct_.block;
  direct_.warp.context.block = &direct_.block.context;
}

Worker::~Worker() {
  for (auto& block : spare_) forget_block(std::move(block));
}

bool Worker::interrupted() const {
  return jobs_.version() != seen_version_ || !residents_.empty() || (target_ != nullptr && target_->done());
}

void Worker::run(WaitTarget* target) {
  WaitTarget* const outer = std::exchange(target_, target);  // a host function on this worker may wait, too
  const Activity before = state_.activity();
  scheduler_.adopt_thread();
  while (target == nullptr || !target->done()) {
    if (!residents_.empty()) {
      step_residents();
      continue;
    }
    const std::shared_ptr<Job> job =
        jobs_.take(*this, index(), target != nullptr ? target->owner_id() : 0, seen_version_);
    if (job == nullptr) break;
    jobs_.wake_for_others(*job);
    state_.set_activity(Activity::running);
    job->work(*this);
    note_progress();
  }
  state_.set_activity(before);
  target_ = outer;
}

void Worker::resume(Warp& warp) {
  current_.store(&warp, std::memory_order_relaxed);
  warp.begun = true;
  Fiber::switch_to(scheduler_, warp.fiber);
  current_.store(nullptr, std::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------------------------
// Fiber shape

// A fiber is used for one warp and one block after another: it parks where there is no warp that has not begun.
HEDDLE_NO_FUNCTION_CHECK void Worker::fiber_main(void* argument) {
  Worker& worker = *static_cast<Worker*>(argument);
  for (;;) {
    Warp& warp = *worker.current_.load(std::memory_order_relaxed);
    reinterpret_cast<WarpEntry>(const_cast<void*>(warp.block->job->code().entry))(&warp.context);
    worker.finish_warp(warp);
  }
}

bool Worker::has_room(const LaunchJob& job) const {
  const unsigned fibers = job.fibers_per_block();
  const unsigned most = fiber_share(jobs_.workers(), fibers, job.config().cooperative);
  return resident_fibers_.load(std::memory_order_relaxed) + fibers <= most;
}

void Worker::run_fibers(LaunchJob& job) noexcept {
  if (!residents_.empty()) {  // one more block beside those that wait
    admit(job);
    return;
  }
  for (;;) {
    if (residents_.empty() && !admit(job)) return;
    step_residents();
    if (residents_.empty() ? interrupted() : target_ != nullptr && target_->done()) return;
  }
}

std::unique_ptr<Block> Worker::make_block(const LaunchJob& job) {
  const unsigned fibers = job.fibers_per_block();
  const std::size_t stack_size = StackPool::rounded(job.stack_bytes());
  const auto fits = [&](const auto& block) { return block->warp_count == fibers && block->stack_size == stack_size; };
  const auto found = std::find_if(spare_.rbegin(), spare_.rend(), fits);
  std::unique_ptr<Block> block;
  if (found != spare_.rend()) {
    block = std::move(*found);
    spare_.erase(std::next(found).base());
  } else {
    block = std::make_unique<Block>();
    block->worker = this;
    block->context.worker = index();
    block->warps = std::make_unique<Warp[]>(fibers);
    block->warp_count = fibers;
    block->words = (fibers + 63) / 64;
    block->stack_size = stack_size;
    for (unsigned i = 0; i < fibers; ++i) {
      Warp& warp = block->warps[i];
      warp.block = block.get();
      warp.index = i;
      warp.context.block = &block->context;
      Stack* stack = services_.stacks.take(job.stack_bytes());
      if (stack == nullptr) {
        forget_block(std::move(block));
        return nullptr;
      }
      warp.fiber.reset(*stack, &Worker::fiber_main, this);
    }
  }
  if (job.shared_bytes() != 0 && !block->shared.reserve(job.shared_bytes())) {
    forget_block(std::move(block));
    return nullptr;
  }
  return block;
}

// Null when there is no memory for it.
std::unique_ptr<Block> Worker::block_of(LaunchJob& job, std::uint64_t id) noexcept {
  std::unique_ptr<Block> block;
  try {
    residents_.reserve(residents_.size() + 1);
    spare_.reserve(spare_.size() + residents_.size() + 1);  // so that retire() needs no memory
    block = make_block(job);
    if (block != nullptr) begin_block(*block, job, id);
  } catch (const std::bad_alloc&) {
    if (block != nullptr) forget_block(std::move(block));
  }
  return block;
}

void Worker::forget_block(std::unique_ptr<Block> block) noexcept {
  for (unsigned i = 0; i < block->warp_count; ++i) {
    Stack* stack = block->warps[i].fiber.stack();
    if (stack != nullptr) services_.stacks.give(stack);
  }
}

void Worker::begin_block(Block& block, LaunchJob& job, std::uint64_t id) {
  block.job = &job;
  block.id = id;
  block.context.launch = &job.context();
  block.context.shared = job.shared_bytes() != 0 ? block.shared.data() : nullptr;
  job.block_index(id, block.context.block_id);
  if (services_.options.poison_shared) std::fill_n(block.context.shared, job.shared_bytes(), poison_byte);
  const unsigned threads = job.block_threads(), width = job.code().width;
  for (unsigned i = 0; i < block.warp_count; ++i) {
    Warp& warp = block.warps[i];
    warp.context.first_thread = i * width;
    warp.context.lanes = std::min(width, threads - i * width);
    warp.context.line = 0;
    warp.exited = 0;
    warp.begun = warp.finished = false;
    warp.waiting = Waiting::nothing;
    warp.turns = 0;
    warp.site = nullptr;
  }
  block.barriers.reset(threads);
  if (width == 1) {
    block.meetings.resize((threads + 31) / 32);
    for (auto& meetings : block.meetings) meetings.clear();
    block.gatherings.clear();
  }
  block.live = block.warp_count;
  block.last = block.warp_count - 1;
  block.ready.fill(block.warp_count);
  job.begin_checks(block);
  if (LaunchChecker* const checker = job.checker())
    checker->enter(block.checked_clock(), id, threads, job.shared_bytes());
}

bool Worker::admit(LaunchJob& job) {
  if (!has_room(job)) return false;
  const BlockRange one = job.take(1, 1);
  if (one.empty()) return false;
  job.note_start(jobs_);
  std::unique_ptr<Block> block = block_of(job, one.begin);
  if (block == nullptr) {
    job.fail(error_from([&] { return out_of_stack(job); }));
    job.finish(1);
    return true;
  }
  resident_fibers_.fetch_add(block->warp_count, std::memory_order_relaxed);
  residents_.push_back(std::move(block));
  if (job.has_pieces()) jobs_.wake_one(job, residents_.size() > 1 || one.begin != 0);
  return true;
}

void Worker::retire(std::size_t resident, bool reusable) {
  std::unique_ptr<Block> block = std::move(residents_[resident]);
  residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(resident));
  resident_fibers_.fetch_sub(block->warp_count, std::memory_order_relaxed);
  exhausted_version_ = 0;  // there is room again
  LaunchJob& job = *block->job;
  block->job = nullptr;
  if (LaunchChecker* const checker = job.checker()) checker->leave(*block->clock);
  if (!reusable) {
    block->ready.reset(block->words);
    block->spinning.reset(block->words);
    for (FiberSet& waiting : block->waiting) waiting.reset(block->words);
    for (unsigned i = 0; i < block->warp_count; ++i) {
      Warp& warp = block->warps[i];
      warp.fiber.reset(*warp.fiber.stack(), &Worker::fiber_main, this);
    }
  }
  spare_.push_back(std::move(block));
  if (spare_.size() > most_spares) {
    forget_block(std::move(spare_.front()));
    spare_.erase(spare_.begin());
  }
  note_progress();
  job.finish(1);
}

bool Worker::run_block(Block& block) {
  const int first = block.ready.next_after(block.last, block.words);
  Warp& warp = block.warps[static_cast<unsigned>(first)];
  block.ready.clear(warp.index);
  block.last = warp.index;
  fault_.kind = FaultKind::none;
  resume(warp);
  if (fault_.kind != FaultKind::none) {
    end_in_failure(*block.job, block.warps[block.last]);
    return true;
  }
  if (block.live == 0) return true;
  if (!block.gatherings.empty() && complete_gatherings(block)) {
    note_progress();
    return false;
  }
  if (!block.spinning.empty(block.words)) return false;
  // Nobody can run and nobody will be woken: barriers and meetings only end through warps of the same block.
  block.job->fail(error_from([&] { return barrier_deadlock(block); }));
  return true;
}

void Worker::step_residents() {
  const std::uint64_t progress_before = state_.progress();
  if (idle_rounds_ == 0) state_.set_activity(Activity::running);
  for (std::size_t i = 0; i < residents_.size();) {
    Block& block = *residents_[i];
    const bool ended = ended_by_time_limit(block) || block.job->failed() || run_block(block);
    if (ended) {
      retire(i, block.live == 0);
    } else {
      ++i;
    }
  }
  if (residents_.empty()) return;
  // Every warp here waits or spins. Look again at those that spin, the oldest block first; what they wait for may have
  // happened meanwhile.
  for (const auto& block : residents_) block->ready.take(block->spinning, block->words);
  // Barriers are progress, too, and a loop that waits for a block which has not started may have some.
  if (state_.progress() != progress_before && ++busy_rounds_ % rounds_between_admissions != 0) {
    idle_rounds_ = 0;
    return;
  }
  if (admit_more()) {
    idle_rounds_ = 0;
  } else {
    wait_for_progress();
  }
}

// The resident blocks may wait for a block that has not started, of this launch or another, or for a copy.
bool Worker::admit_more() {
  if (jobs_.version() == exhausted_version_) return false;
  const std::shared_ptr<Job> job = jobs_.take(*this, index(), 0, seen_version_);
  if (job == nullptr) {
    exhausted_version_ = seen_version_;
    return false;
  }
  job->work(*this);
  return true;
}

void Worker::wait_for_progress() {
  relax();
  if (++idle_rounds_ % rounds_before_yield == 0) std::this_thread::yield();
  if (idle_rounds_ % rounds_between_clock_reads != 1) return;
  const std::uint64_t now = services_.now_ns();
  state_.note_poll(now);
  const auto timeout = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(services_.options.deadlock_timeout).count());
  if (timeout == 0) return;
  if (idle_rounds_ == 1 || jobs_.any_running(state_, now) || services_.host_calls.any())
    stall_.restart(jobs_.progress(), now);
  switch (stall_.look(jobs_.progress(), now, timeout, [this] { return memory_print(); })) {
    case StallWatch::Verdict::too_early: break;
    case StallWatch::Verdict::memory_changed: note_progress(); break;  // others may be waiting for this worker
    case StallWatch::Verdict::stalled:
      report_deadlock();
      stall_.restart(jobs_.progress(), now);
      break;
  }
}

// Changes with what the warps here may have written.
std::uint64_t Worker::memory_print() const {
  std::uint64_t print = services_.allocator->fingerprint();
  for (const auto& block : residents_)
    if (block->context.shared != nullptr) print = fold_memory(print, block->context.shared, block->job->shared_bytes());
  return print;
}

void Worker::report_deadlock() {
  const Block& oldest = *residents_.front();
  LaunchJob& job = *oldest.job;
  std::size_t resident = 0;
  for (const auto& block : residents_) resident += block->job == &job ? 1 : 0;
  job.fail(error_from([&] { return spin_deadlock(oldest, resident, services_.options.deadlock_timeout); }));
  note_progress();
}

namespace {

// Without memory for it, the message lacks the place.
template <class Place>
void note_place(TimeLimit& limit, Place&& place) noexcept {
  try {
    limit.add_place(place());
  } catch (const std::exception&) {
  }
}

}  // namespace

// Of a block whose warps all wait. Warps in a loop without calls are ended by a signal.
bool Worker::ended_by_time_limit(const Block& block) {
  TimeLimit* const limit = block.job->time_limit();
  if (!limit || !limit->expired()) return false;
  note_place(*limit, [&] { return block_place(block); });
  block.job->fail(error_from([&] { return timeout_error(*block.job, *limit); }));
  return true;
}

void Worker::end_in_failure(LaunchJob& job, Warp& warp) {
  if (fault_.kind == FaultKind::time_limit) {
    warp.site = static_cast<const char*>(fault_.instruction) + 1;
    note_place(*job.time_limit(), [&] { return running_place(warp); });
    job.fail(error_from([&] { return timeout_error(job, *job.time_limit()); }));
  } else {
    job.fail(error_from([&] { return describe_fault(fault_, warp, job, *services_.allocator); }));
    if (warp.block->clock) warp.block->clock->forget_gatherings();
  }
  if (&warp == &direct_.warp) direct_.warp.fiber.reset(*warp.fiber.stack(), &Worker::direct_main, this);
}

// ---------------------------------------------------------------------------------------------------------------------
// On the fiber of a warp

// Where a barrier was that of all warps, the first one begins: programs that lack a barrier, or an order of stores, are
// more often right that way. Elsewhere that could keep warps of which others have no need from ever running.
void Worker::go_on_in_order(Warp& warp) {
  Block& block = *warp.block;
  block.ready.set(warp.index);
  const bool all = block.ready.count(block.words) == block.live;
  switch_to(warp, all ? block.ready.first(block.words) : block.ready.next_after(warp.index, block.words));
}

void Worker::wait_for_others(Warp& warp) {
  Block& block = *warp.block;
  switch_to(warp, block.ready.next_after(warp.index, block.words));
}

void Worker::switch_to(Warp& warp, int next) {
  Block& block = *warp.block;
  if (next < 0) {
    Fiber::switch_to(warp.fiber, scheduler_);
    return;
  }
  if (static_cast<unsigned>(next) == warp.index) return block.ready.clear(warp.index);
  Warp& other = block.warps[static_cast<unsigned>(next)];
  make_current(other);
  Fiber::switch_to(warp.fiber, other.fiber);
}

void Worker::make_current(Warp& warp) {
  warp.block->ready.clear(warp.index);
  warp.block->last = warp.index;
  warp.begun = true;
  current_.store(&warp, std::memory_order_relaxed);
}

void Worker::spin(Warp& warp) {
  Block& block = *warp.block;
  if (block.ready.empty(block.words) && ++warp.turns < turns_in_place) {
    relax();
    return;
  }
  warp.turns = 0;
  block.spinning.set(warp.index);
  wait_for_others(warp);
}

void Worker::release(Block& block, unsigned barrier) noexcept {
  block.release(barrier);
  if (LaunchChecker* const checker = block.job->checker())
    checker->complete(*block.clock, barrier, block.barriers.left());
}

void Worker::lanes_left(Warp& warp, unsigned count) noexcept {
  Block& block = *warp.block;
  const std::uint32_t completed = block.barriers.leave(warp.context.first_thread, count);
  for (unsigned b = 0; completed >> b != 0; ++b)
    if ((completed >> b & 1) != 0) release(block, b);
  if (!block.meetings.empty()) leave_meetings(warp);
}

void Worker::finish_warp(Warp& warp) {
  Block& block = *warp.block;
  warp.finished = true;
  --block.live;
  note_progress();
  if (warp.context.lanes > warp.exited) lanes_left(warp, warp.context.lanes - warp.exited);
  const int next = block.ready.next_after(warp.index, block.words);
  if (next < 0 || block.warps[static_cast<unsigned>(next)].begun) return wait_for_others(warp);
  // One that has not begun needs no stack of its own yet: warps that never wait cost no switch.
  Warp& other = block.warps[static_cast<unsigned>(next)];
  warp.fiber.swap(other.fiber);
  make_current(other);
}

void Worker::abandon(Warp& warp) { Fiber::abandon_to(warp.fiber, scheduler_); }

// On the recovery stack, which the sanitizers know nothing of.
HEDDLE_NO_SANITIZE void Worker::land() { Fiber::abandon_to(recovery_, scheduler_); }

const AllocationMap& Worker::allocations() {
  const std::uint64_t version = services_.allocator->version();
  if (allocations_ == nullptr || version != allocations_version_) {
    allocations_ = services_.allocator->snapshot();
    allocations_version_ = version;
  }
  return *allocations_;
}

}  // namespace heddle::device::cpu
