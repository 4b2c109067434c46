#include "runtime/launch.hpp"

#include <optional>
#include <utility>

#include "base/fail.hpp"
#include "base/recycling_allocator.hpp"
#include "device/launch_check.hpp"
#include "runtime/bind.hpp"
#include "runtime/held_launch.hpp"
#include "runtime/launch_steps.hpp"
#include "runtime/resident_launch.hpp"
#include "sched/turn.hpp"

namespace heddle::runtime {

bool wait_for_moves(core::Core& core, std::span<const graph::Access> accesses, base::Lock& lock) {
  const graph::Dag& dag = core.scheduler().dag();
  graph::TaskRefs moves;
  for (const graph::Access& access : accesses) {
    if (access.begin >= access.end) continue;
    for (const graph::TaskRef& task : dag.hazards({access.object, graph::Mode::read, access.begin, access.end}))
      if (dag[task].is_move) moves.push_back(task);
  }
  if (moves.empty()) return false;
  lock.unlock();
  core.scheduler().wait(moves);
  lock.lock();
  core.replayer().flush_others();
  return true;
}

namespace {

// Most programs drop a launch's handle at once.
template <class... Arguments>
std::shared_ptr<LaunchState> make_state(Arguments&&... arguments) {
  return std::allocate_shared<LaunchState>(base::RecyclingAllocator<LaunchState>(),
                                           std::forward<Arguments>(arguments)...);
}

// What the launch needs, made ready without the lock: code for the kernel on its place may have to be compiled.
struct Prepared {
  device::Function* function = nullptr;
  const device::Partition* partition = nullptr;
};

Prepared prepare(core::Core& core, KernelState& kernel, sched::BoundLaunch& launch) {
  Prepared prepared{&kernel.prepare_on(launch.place, launch.config.block), nullptr};
  launch.verified = core.verifies(launch.place);
  if (launch.processors != nullptr) prepared.partition = &core.partition(launch.place, *launch.processors);
  return prepared;
}

graph::TaskRef submit(core::Core& core, KernelState& kernel, const sched::BoundLaunch& launch, const Prepared& prepared,
                      sched::EarlyStart* early, std::span<const graph::Access> accesses) {
  sched::Submission submission = submission_of(launch, prepared.partition);
  if (early != nullptr) early->complete(submission, launch);
  return core.scheduler().submit(
      launch.place, accesses,
      [&](device::Queue& queue) {
        if (launch.verified) queue.set_footprint(footprint_of(core, launch, kernel));
        if (device::Function* const function = early != nullptr ? early->function() : nullptr) [[unlikely]]
          queue.launch(*function, launch.config, launch.blocks, early->arguments(launch.arguments()));
        else
          queue.launch(*prepared.function, launch.config, launch.blocks, launch.arguments());
      },
      submission);
}

// The launch as the one of a repetition that is expected now; null where it is another.
std::shared_ptr<LaunchState> repeated(core::Core& core, const std::shared_ptr<KernelState>& kernel,
                                      const LaunchOptions& options, std::span<const Argument> arguments) {
  base::Lock lock(core.mutex());
  const auto held = core.replayer().take(*kernel, options, arguments);
  lock.unlock();
  return held ? make_state(kernel, *held) : nullptr;
}

// An opaque pointer may lead anywhere, and times are those of whole launches.
bool may_be_held(const sched::BoundLaunch& launch) { return !launch.opaque && !launch.timed; }

void choose_place(core::Core& core, sched::Placer& placer, sched::BoundLaunch& launch) {
  if (placer.wants_links()) core.links().table();  // measures them the first time
  const base::Lock lock(core.mutex());
  core.replayer().flush_others();
  launch.place = placer.choose(launch);
}

// What a launch keeps from the copies before it until it is submitted.
struct Fetched {
  sched::MemoryManager::Pressure pressure;
  sched::EarlyStart early;
  bool moved = false;  // something was copied
};

// Has the arrays' bytes copied to the launch's place, after what must be over before the launch is submitted, and puts
// their addresses into its arguments.
Accesses fetch(core::Core& core, sched::BoundLaunch& launch, Fetched& fetched, base::Lock& lock) {
  core.early().prepare_form(launch, lock);
  make_arrays_ready(core, launch, lock, fetched.pressure);
  core.replayer().flush_others();
  const graph::TaskId before = core.scheduler().dag().last();
  fetched.early = core.early().plan(launch);
  Accesses accesses = acquire(core, launch, fetched.early);
  // While it waits others may launch with the same arrays, of whose bytes the current ones are elsewhere then.
  while (!core.scheduler().policy().prefetch && wait_for_moves(core, {accesses.data(), accesses.size()}, lock)) {
    make_arrays_ready(core, launch, lock, fetched.pressure);
    accesses = acquire(core, launch, fetched.early);
  }
  fetched.early.settle(launch, {accesses.data(), accesses.size()});
  launch.put_addresses();
  fetched.moved = core.scheduler().dag().last() != before;
  return accesses;
}

}  // namespace

graph::TaskRef LaunchState::task(base::Lock& lock) const {
  core().replayer().flush();
  if (extras_ && extras_->managed) {
    core().dispatcher()->wait_until_submitted({&extras_->managed, 1}, lock);
    if (managed()->failure) std::rethrow_exception(managed()->failure);
    return managed()->work->task();
  }
  return held_.batch == 0 ? task_ : core().replayer().task_of(held_);
}

bool LaunchState::done() const {
  core::Core& core = this->core();
  base::Lock lock(core.mutex_at_end());
  if (managed() && managed()->state < sched::TaskState::submitted) return false;
  try {
    const graph::TaskRef task = managed() || held_.batch != 0 ? this->task(lock) : task_;
    return core.scheduler().dag().finished(task) || core.scheduler().tracker()[task].end->done();
  } catch (const Error&) {
    return true;  // wait() throws it
  }
}

void LaunchState::wait() const {
  graph::TaskRef task;
  {
    base::Lock lock(core().mutex());
    task = this->task(lock);
  }
  core().scheduler().wait(task);
}

double LaunchState::seconds() const {
  if (!extras_ || !extras_->events.start)
    base::fail(ErrorCode::invalid_argument, "the {} was not timed: set {}::timed",
               kernel_ ? "launch of kernel " + kernel_->name() : "call", kernel_ ? "LaunchOptions" : "CallOptions");
  wait();
  return static_cast<double>(extras_->events.end->completed_ns() - extras_->events.start->completed_ns()) * 1e-9;
}

const std::string& LaunchState::device() const { return core().device(place_).info().id; }

namespace {

// Managed mode: the policy decides when the launch is submitted.
std::shared_ptr<LaunchState> hold(core::Core& core, const std::shared_ptr<KernelState>& kernel,
                                  sched::BoundLaunch& bound, const Prepared& prepared, sched::LaunchQueue* queue) {
  device::check_launch(core.device(bound.place).info(), *prepared.function, bound.config, bound.blocks,
                       bound.packed.size());
  auto work = std::make_unique<HeldLaunch>(core, *kernel, std::move(bound), *prepared.function, prepared.partition);
  sched::BoundLaunch& launch = work->launch();
  const std::size_t place = launch.place;
  base::Lock lock(core.mutex());
  sched::LaunchQueue& held_in = queue ? *queue : core.launch_queue();
  core.dispatcher()->wait_for_room(held_in, lock);
  const std::vector<graph::Access> accesses = logical_accesses(core, launch);
  auto task = core.dispatcher()->hold(held_in, std::move(work), accesses);
  lock.unlock();
  return make_state(kernel, place, std::move(task));
}

}  // namespace

// docs/architecture.md, "How a launch travels", has these steps by number.
std::shared_ptr<LaunchState> launch(core::Core& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments,
                                    sched::LaunchQueue* queue) {
  if (&kernel->core() != &core)
    base::fail(ErrorCode::invalid_argument, "kernel {} belongs to another runtime", kernel->info().signature);
  core.count_launch();
  if (core.replayer().follows())
    if (auto state = repeated(core, kernel, options, arguments)) return state;
  if (core.is_direct()) [[likely]]
    if (const auto made = launch_resident(core, *kernel, options, arguments))  // all that follows, in one pass
      return make_state(kernel, made->place, made->task);
  sched::BoundLaunch bound;
  bind(bound, core, *kernel, options, arguments);  // 1
  sched::Placer* const placer = options.device.empty() ? core.placer() : nullptr;
  bound.place = core.find(options.device);
  bound.anywhere = placer != nullptr;
  if (placer) choose_place(core, *placer, bound);           // 2
  const Prepared prepared = prepare(core, *kernel, bound);  // 3
  if (core.dispatcher() && may_be_held(bound)) return hold(core, kernel, bound, prepared, queue);
  base::Lock lock(core.mutex());
  if (bound.opaque || core.dispatcher() != nullptr) core.wait_until_all_submitted(lock);
  std::optional<sched::Turn> turn;  // before others that launch with the same arrays
  if (core.dispatcher()) turn.emplace(*core.dispatcher(), logical_accesses(core, bound), lock);
  core.replayer().flush_others();
  std::optional<Fetched> fetched;
  Accesses accesses;
  if (!use_resident(core, bound, accesses)) accesses = fetch(core, bound, fetched.emplace(), lock);  // 4
  const graph::TaskRef task = submit(core, *kernel, bound, prepared, fetched ? &fetched->early : nullptr,
                                     {accesses.data(), accesses.size()});  // 5
  sched::TaskEvents events;
  if (options.timed) events = core.scheduler().tracker()[task];
  settle_arrays(core, bound);
  core.replayer().submitted({bound, options.device, arguments}, fetched && fetched->moved, *prepared.function,
                            {accesses.data(), accesses.size()});
  turn.reset();
  lock.unlock();
  auto state = make_state(kernel, bound.place, task, std::move(events));
  if (core.scheduler().policy().execution == Scheduling::Execution::sync) state->wait();
  return state;
}

}  // namespace heddle::runtime
