#include "device/cpu/pool.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/thread.hpp"
#include "device/cpu/fault_handlers.hpp"
#include "device/cpu/services.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned turns_between_clock_reads = 64;
constexpr std::uint64_t never = ~std::uint64_t{0};

std::uint64_t ns(std::chrono::microseconds time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

Pool::Pool(unsigned workers, const Topology& topology, Services& services)
    : topology_(topology),
      services_(services),
      has_time_limit_(services.options.launch_timeout.count() != 0),
      time_limit_handler_(has_time_limit_) {
  for (unsigned i = 0; i < workers; ++i) {
    seats_.push_back(std::make_unique<Seat>(i, jobs_, services));
    jobs_.add(seats_.back()->worker.state());
  }
  try {
    for (const auto& seat : seats_)
      seat->thread = base::start_thread("cpu worker " + std::to_string(seat->worker.index()),
                                        [this, &seat = *seat] { thread_main(seat); });
  } catch (...) {
    stop();
    throw;
  }
}

Pool::~Pool() {
  stop();
  if (has_time_limit_) services_.watcher()->drain();  // callbacks of the limits may still hold jobs
}

void Pool::stop() {
  stopping_.store(true);
  for (const auto& seat : seats_) seat->worker.state().wake();
  for (const auto& seat : seats_)
    if (seat->thread.joinable()) seat->thread.join();
}

void Pool::post(std::shared_ptr<Job> job, bool at_end) {
  Worker* const worker = worker_of_thread();
  if (worker == nullptr) jobs_.set_host_core(topology_.core_of_processor(::sched_getcpu()));
  // The worker takes the next launch of a queue itself: to wake another takes longer than a short kernel.
  const bool takes = at_end && worker != nullptr && &worker->jobs() == &jobs_ && worker->is_free_next() &&
                     job->allowed.contains(worker->index());
  jobs_.post(std::move(job), !takes);
}

bool Pool::has_work_for(const Worker& worker) {
  std::uint64_t version = 0;
  return jobs_.pick(worker, worker.index(), 0, version) != nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// The seats' own threads

void Pool::thread_main(Seat& seat) {
  WorkerState& state = seat.worker.state();
  if (services_.options.pin && !topology_.bind_thread(state.index())) {
    base::log_debug("cpu: worker {} could not be bound to its core", state.index());
  }
  std::uint64_t idle_ns = never;
  for (;;) {
    const std::uint64_t version = jobs_.version();
    const std::uint32_t wakeups = state.wakeups();
    if (stopping()) return;
    const std::uint64_t before = state.progress();
    if (state.try_occupy()) {
      occupy(seat.worker);
      seat.worker.run(nullptr);
      leave(seat.worker, nullptr);
      state.vacate();
    }
    idle_ns = idle(state, version, wakeups, state.progress() != before ? idle_ns : never);
  }
}

// Returns when the list of jobs has another version, or the worker has been woken: after how long.
//
// If the worker had work again after `last_ns` the last time, and that is not long, it is likely to have some after as
// long again: the worker waits for twice that time before it sleeps, and leaves its core to others that want it.
std::uint64_t Pool::idle(WorkerState& state, std::uint64_t version, std::uint32_t wakeups, std::uint64_t last_ns) {
  const auto unchanged = [&] { return jobs_.version() == version && state.wakeups() == wakeups && !stopping(); };
  const std::uint64_t usual = ns(services_.options.idle_spin),
                      longest = std::max(usual, ns(services_.options.longest_idle_spin));
  const std::uint64_t spin = last_ns > longest ? usual : std::clamp(2 * last_ns, usual, longest);
  state.set_thread_state(WorkerState::ThreadState::spinning);
  const std::uint64_t begin = services_.now_ns();
  std::uint64_t now = begin;
  for (unsigned turn = 1; unchanged(); ++turn) {
    // The core belongs to the host thread that submits from it or occupies the worker.
    if (static_cast<int>(state.index()) == jobs_.host_core() || state.occupied()) break;
    if (now - begin > usual) ::sched_yield();
    if (turn % turns_between_clock_reads == 0 || now - begin > usual) now = services_.now_ns();
    if (now - begin >= spin) break;
    relax();
  }
  if (unchanged()) {
    jobs_.begin_sleep(state);
    while (unchanged()) state.sleep(wakeups);
    jobs_.end_sleep(state);
  } else {
    state.set_thread_state(WorkerState::ThreadState::awake);
  }
  return services_.now_ns() - begin;
}

// ---------------------------------------------------------------------------------------------------------------------
// Host threads that wait

void Pool::occupy(Worker& worker) {
  set_worker_of_thread(&worker);
  if (!has_time_limit_) return;
  accept_time_limit_signal();
  worker.state().set_thread(::pthread_self());
}

void Pool::leave(Worker& worker, Worker* occupied_before) {
  if (has_time_limit_) worker.state().set_thread(std::nullopt);
  set_worker_of_thread(occupied_before);
}

Pool::Seat* Pool::take_seat(const WorkerSet& allowed) {
  const int core = topology_.core_of_processor(::sched_getcpu());
  if (core >= 0 && static_cast<unsigned>(core) < size() && allowed.contains(static_cast<unsigned>(core)) &&
      seats_[static_cast<unsigned>(core)]->worker.state().try_occupy()) {
    return seats_[static_cast<unsigned>(core)].get();
  }
  for (const auto& seat : seats_)
    if (allowed.contains(seat->worker.index()) && seat->worker.state().try_occupy()) return seat.get();
  return nullptr;
}

void Pool::leave_seat(Seat& seat) {
  const bool residents = seat.worker.has_residents();
  seat.worker.state().vacate();
  // Either the poster of a new job saw the free seat, or this look sees the job.
  if (residents || has_work_for(seat.worker)) seat.worker.state().wake();
}

bool Pool::linger(Seat& seat, WaitTarget& target) {
  std::uint64_t version = 0;
  if (jobs_.pick(seat.worker, seat.worker.index(), target.owner_id(), version) != nullptr) return true;
  if (has_work_for(seat.worker)) return false;  // work of others: the seat's own thread shall do it
  const std::uint64_t deadline = services_.now_ns() + ns(services_.options.idle_spin);
  for (unsigned turn = 1; !target.done() && jobs_.version() == version; ++turn) {
    if (turn % turns_between_clock_reads == 0 && services_.now_ns() >= deadline) return false;
    relax();
  }
  return !target.done();
}

void Pool::wait(WaitTarget& target) {
  if (target.done()) return;
  Worker* const occupied = worker_of_thread();
  if (occupied != nullptr && &occupied->jobs() == &jobs_) {
    // A host function on a worker: other work goes on here, or it might be the very work that is waited for.
    while (!target.done()) {
      occupied->run(&target);
      relax();
    }
    return;
  }
  if (Seat* seat = take_seat(target.workers())) {
    occupy(seat->worker);
    do {
      seat->worker.run(&target);
    } while (!target.done() && linger(*seat, target));
    leave(seat->worker, occupied);
    leave_seat(*seat);
  }
  if (!target.done()) target.block();
}

}  // namespace heddle::device::cpu
