#include "device/cpu/pool.hpp"

#include <sched.h>

#include <algorithm>
#include <mutex>

#include "base/log.hpp"
#include "device/cpu/services.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned turns_between_clock_reads = 64;

}  // namespace

Pool::Pool(unsigned workers, const Topology& topology, Services& services) : topology_(topology), services_(services) {
  for (unsigned i = 0; i < workers; ++i) seats_.push_back(std::make_unique<Seat>(i, *this, services));
  for (const auto& seat : seats_) seat->thread = std::thread([this, &seat = *seat] { thread_main(seat); });
}

Pool::~Pool() {
  stopping_.store(true);
  for (const auto& seat : seats_) poke(*seat);
  for (const auto& seat : seats_) seat->thread.join();
}

void Pool::poke(Seat& seat) {
  seat.pokes.fetch_add(1);
  seat.pokes.notify_one();
}

// ---------------------------------------------------------------------------------------------------------------------
// Ready jobs

void Pool::post(std::shared_ptr<Job> job) {
  if (worker_of_thread() == nullptr) {
    const int core = topology_.core_of_processor(::sched_getcpu());
    if (host_core_.load(std::memory_order_relaxed) != core) host_core_.store(core, std::memory_order_relaxed);
  }
  // Kept: once in the list, the job may run and end before this function does.
  const std::shared_ptr<Job> keep = job;
  {
    const std::lock_guard guard(lock_);
    job->sequence = ++sequence_;
    const auto before = [](const std::shared_ptr<Job>& a, const std::shared_ptr<Job>& b) {
      return a->priority != b->priority ? a->priority > b->priority : a->sequence < b->sequence;
    };
    const auto place = std::upper_bound(ready_.begin(), ready_.end(), job, before);
    ready_.insert(place, std::move(job));
    version_.fetch_add(1);
  }
  wake_one(*keep, true);
}

std::shared_ptr<Job> Pool::pick(const Worker& worker, std::uint64_t owner, std::uint64_t& version) {
  const std::lock_guard guard(lock_);
  return find(worker, owner, version);
}

std::shared_ptr<Job> Pool::find(const Worker& worker, std::uint64_t owner, std::uint64_t& version) {
  version = version_.load(std::memory_order_relaxed);
  const Job* first = nullptr;  // that the worker may take
  for (auto it = ready_.begin(); it != ready_.end();) {
    const Job& job = **it;
    if (!job.has_pieces()) {
      it = ready_.erase(it);
      continue;
    }
    if (job.allowed.contains(worker.index()) && job.fits(worker)) {
      if (first == nullptr) first = &job;
      // Who helps with the jobs of one owner does not keep the seat from more urgent work.
      if (first->priority > job.priority) return nullptr;
      if (owner == 0 || owner == job.owner_id) return *it;
    }
    ++it;
  }
  return nullptr;
}

// Who posts a job wakes nobody while a thread is spinning. That thread may find another job first, or its seat taken by
// a host thread that has another job in mind.
std::shared_ptr<Job> Pool::take(const Worker& worker, std::uint64_t owner, std::uint64_t& version) {
  std::shared_ptr<Job> taken, other;
  {
    const std::lock_guard guard(lock_);
    taken = find(worker, owner, version);
    if (taken && ready_.size() > 1)
      for (const std::shared_ptr<Job>& job : ready_)
        if (job != taken && job->has_pieces()) {
          other = job;
          break;
        }
  }
  if (other) wake_one(*other, true);
  return taken;
}

bool Pool::has_work_for(const Worker& worker) {
  std::uint64_t version = 0;
  return pick(worker, 0, version) != nullptr;
}

void Pool::wake_one(const Job& job, bool eager) {
  if (sleepers_.load() == 0) return;
  const int host_core = host_core_.load(std::memory_order_relaxed);
  Seat* candidate = nullptr;
  for (const auto& seat : seats_) {
    if (!job.allowed.contains(seat->worker.index()) || seat->worker.occupied()) continue;
    const ThreadState state = seat->state.load();
    if (state == ThreadState::spinning) return;  // it will see the new version
    if (state != ThreadState::sleeping) continue;
    if (static_cast<int>(seat->worker.index()) != host_core) {
      poke(*seat);
      return;
    }
    candidate = seat.get();
  }
  if (eager && candidate != nullptr) poke(*candidate);
}

void Pool::wake_for_others(const Job& taken) {
  if (sleepers_.load() == 0) return;
  std::shared_ptr<Job> other;
  {
    const std::lock_guard guard(lock_);
    const auto found = std::find_if(ready_.begin(), ready_.end(), [&](const std::shared_ptr<Job>& job) {
      return job.get() != &taken && job->has_pieces();
    });
    if (found == ready_.end()) return;
    other = *found;
  }
  wake_one(*other, true);
}

// ---------------------------------------------------------------------------------------------------------------------
// The seats' own threads

void Pool::thread_main(Seat& seat) {
  if (services_.options.pin && !topology_.bind_thread(seat.worker.index())) {
    base::log_debug("cpu: worker {} could not be bound to its core", seat.worker.index());
  }
  for (;;) {
    const std::uint64_t version = version_.load();
    const std::uint32_t pokes = seat.pokes.load();
    if (stopping()) return;
    if (seat.worker.try_occupy()) {
      set_worker_of_thread(&seat.worker);
      seat.worker.run(nullptr);
      set_worker_of_thread(nullptr);
      seat.worker.vacate();
    }
    idle(seat, version, pokes);
  }
}

// Returns when the list of jobs or the seat's pokes are no longer what they were.
void Pool::idle(Seat& seat, std::uint64_t version, std::uint32_t pokes) {
  const auto unchanged = [&] { return version_.load() == version && seat.pokes.load() == pokes && !stopping(); };
  const auto spin_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(services_.options.idle_spin).count());
  seat.state.store(ThreadState::spinning);
  std::uint64_t deadline = 0;
  for (unsigned turn = 0; unchanged(); ++turn) {
    // The core belongs to the host thread that submits from it or has taken the seat.
    if (static_cast<int>(seat.worker.index()) == host_core_.load(std::memory_order_relaxed)) break;
    if (seat.worker.occupied()) break;
    if (turn % turns_between_clock_reads == 0) {
      const std::uint64_t now = services_.now_ns();
      if (deadline == 0) deadline = now + spin_ns;
      if (now >= deadline) break;
    }
    relax();
  }
  seat.state.store(ThreadState::sleeping);
  sleepers_.fetch_add(1);
  while (unchanged()) seat.pokes.wait(pokes);
  sleepers_.fetch_sub(1);
  seat.state.store(ThreadState::awake);
}

// ---------------------------------------------------------------------------------------------------------------------
// Host threads that wait

Pool::Seat* Pool::take_seat(const WorkerSet& allowed) {
  const int core = topology_.core_of_processor(::sched_getcpu());
  if (core >= 0 && static_cast<unsigned>(core) < size() && allowed.contains(static_cast<unsigned>(core)) &&
      seats_[static_cast<unsigned>(core)]->worker.try_occupy()) {
    return seats_[static_cast<unsigned>(core)].get();
  }
  for (const auto& seat : seats_)
    if (allowed.contains(seat->worker.index()) && seat->worker.try_occupy()) return seat.get();
  return nullptr;
}

void Pool::leave_seat(Seat& seat) {
  const bool residents = seat.worker.has_residents();
  seat.worker.vacate();
  // Either the poster of a new job saw the free seat, or this look sees the job.
  if (residents || has_work_for(seat.worker)) poke(seat);
}

bool Pool::linger(Seat& seat, WaitTarget& target) {
  std::uint64_t version = 0;
  if (pick(seat.worker, target.owner_id(), version) != nullptr) return true;
  if (has_work_for(seat.worker)) return false;  // work of others: the seat's own thread shall do it
  const std::uint64_t deadline =
      services_.now_ns() +
      static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(services_.options.idle_spin).count());
  for (unsigned turn = 1; !target.done() && version_.load() == version; ++turn) {
    if (turn % turns_between_clock_reads == 0 && services_.now_ns() >= deadline) return false;
    relax();
  }
  return !target.done();
}

void Pool::wait(WaitTarget& target) {
  if (target.done()) return;
  Worker* const occupied = worker_of_thread();
  if (occupied != nullptr && &occupied->pool() == this) {
    // A host function on a worker: other work goes on here, or it might be the very work that is waited for.
    while (!target.done()) {
      occupied->run(&target);
      relax();
    }
    return;
  }
  if (Seat* seat = take_seat(target.workers())) {
    set_worker_of_thread(&seat->worker);
    do {
      seat->worker.run(&target);
    } while (!target.done() && linger(*seat, target));
    set_worker_of_thread(occupied);
    leave_seat(*seat);
  }
  if (!target.done()) target.block();
}

// ---------------------------------------------------------------------------------------------------------------------

std::uint64_t Pool::progress() const {
  std::uint64_t sum = 0;
  for (const auto& seat : seats_) sum += seat->worker.progress();
  return sum;
}

bool Pool::any_running(const Worker& except, std::uint64_t now_ns) const {
  return std::any_of(seats_.begin(), seats_.end(),
                     [&](const auto& seat) { return &seat->worker != &except && seat->worker.is_running(now_ns); });
}

unsigned Pool::fiber_share_of(unsigned fibers_per_block) const { return std::max(fiber_share(), fibers_per_block); }

}  // namespace heddle::device::cpu
