#include "device/cpu/ready_jobs.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace heddle::device::cpu {

using ThreadState = WorkerState::ThreadState;

void ReadyJobs::post(std::shared_ptr<Job> job, bool wake) {
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
  if (wake) wake_one(*keep, true);
}

std::shared_ptr<Job> ReadyJobs::pick(const Worker& worker, unsigned index, std::uint64_t owner,
                                     std::uint64_t& version) {
  const std::lock_guard guard(lock_);
  return find(worker, index, owner, version);
}

std::shared_ptr<Job> ReadyJobs::find(const Worker& worker, unsigned index, std::uint64_t owner,
                                     std::uint64_t& version) {
  version = version_.load(std::memory_order_relaxed);
  const Job* first = nullptr;  // that the worker may take
  for (auto it = ready_.begin(); it != ready_.end();) {
    const Job& job = **it;
    if (!job.has_pieces()) {
      it = ready_.erase(it);
      continue;
    }
    if (job.allowed.contains(index) && job.fits(worker)) {
      if (first == nullptr) first = &job;
      // A thread that helps with the jobs of one owner does not keep the worker from more urgent work.
      if (first->priority > job.priority) return nullptr;
      if (owner == 0 || owner == job.owner_id) return *it;
    }
    ++it;
  }
  return nullptr;
}

// A thread that posts a job wakes none while another is spinning. That one may find another job first, or its worker
// occupied by a host thread that looks for another job.
std::shared_ptr<Job> ReadyJobs::take(const Worker& worker, unsigned index, std::uint64_t owner,
                                     std::uint64_t& version) {
  std::shared_ptr<Job> taken, other;
  {
    const std::lock_guard guard(lock_);
    taken = find(worker, index, owner, version);
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

// Those that spin will see the new version, so they count as woken.
void ReadyJobs::wake(const Job& job, unsigned most, bool eager) {
  if (sleepers_.load() == 0) return;
  const int host = host_core();
  WorkerState* last = nullptr;
  for (WorkerState* const worker : workers_) {
    if (!job.allowed.contains(worker->index()) || worker->occupied()) continue;
    const ThreadState state = worker->thread_state();
    if (state == ThreadState::awake) continue;
    if (state == ThreadState::sleeping && static_cast<int>(worker->index()) == host) {
      last = worker;
      continue;
    }
    if (state == ThreadState::sleeping) worker->wake();
    if (--most == 0) return;
  }
  if (eager && last != nullptr) last->wake();
}

void ReadyJobs::wake_several(const Job& job, bool eager) {
  constexpr unsigned several = 3;
  wake(job, several, eager);
}

void ReadyJobs::wake_for_others(const Job& taken) {
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

void ReadyJobs::begin_sleep(WorkerState& worker) {
  worker.set_thread_state(ThreadState::sleeping);
  sleepers_.fetch_add(1);
}

void ReadyJobs::end_sleep(WorkerState& worker) {
  sleepers_.fetch_sub(1);
  worker.set_thread_state(ThreadState::awake);
}

std::uint64_t ReadyJobs::progress() const {
  std::uint64_t sum = 0;
  for (const WorkerState* worker : workers_) sum += worker->progress();
  return sum;
}

bool ReadyJobs::any_running(const WorkerState& except, std::uint64_t now_ns) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const WorkerState* worker) { return worker != &except && worker->is_running(now_ns); });
}

}  // namespace heddle::device::cpu
