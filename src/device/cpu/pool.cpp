#include "device/cpu/pool.hpp"

#include <sched.h>

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
  for (;;) {
    const std::uint64_t version = jobs_.version();
    const std::uint32_t wakeups = state.wakeups();
    if (stopping()) return;
    if (state.try_occupy()) {
      occupy(seat.worker);
      seat.worker.run(nullptr);
      leave(seat.worker, nullptr);
      state.vacate();
    }
    idle(state, version, wakeups);
  }
}

// Returns when the list of jobs has another version, or the worker has been woken.
void Pool::idle(WorkerState& state, std::uint64_t version, std::uint32_t wakeups) {
  const auto unchanged = [&] { return jobs_.version() == version && state.wakeups() == wakeups && !stopping(); };
  const auto spin_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(services_.options.idle_spin).count());
  state.set_thread_state(WorkerState::ThreadState::spinning);
  std::uint64_t deadline = 0;
  for (unsigned turn = 0; unchanged(); ++turn) {
    // The core belongs to the host thread that submits from it or occupies the worker.
    if (static_cast<int>(state.index()) == jobs_.host_core()) break;
    if (state.occupied()) break;
    if (turn % turns_between_clock_reads == 0) {
      const std::uint64_t now = services_.now_ns();
      if (deadline == 0) deadline = now + spin_ns;
      if (now >= deadline) break;
    }
    relax();
  }
  jobs_.begin_sleep(state);
  while (unchanged()) state.sleep(wakeups);
  jobs_.end_sleep(state);
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
  const std::uint64_t deadline =
      services_.now_ns() +
      static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(services_.options.idle_spin).count());
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
