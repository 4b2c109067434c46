// The jobs that are ready for a device's workers, and which worker is woken for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/adaptive_lock.hpp"
#include "device/cpu/job.hpp"
#include "device/cpu/worker_state.hpp"

namespace heddle::device::cpu {

class ReadyJobs {
 public:
  // Before there are threads. The workers are numbered in the order in which they are added.
  void add(WorkerState& worker) { workers_.push_back(&worker); }
  unsigned workers() const { return static_cast<unsigned>(workers_.size()); }

  // Makes a job available to the workers it allows. Any thread. `wake`: false if the calling thread takes a job next.
  void post(std::shared_ptr<Job> job, bool wake);

  // The most urgent job with pieces left that the worker may take; of one owner when `owner` is not 0. `version` is set
  // to the version of the list that was read.
  std::shared_ptr<Job> pick(const Worker& worker, unsigned index, std::uint64_t owner, std::uint64_t& version);
  // The same for a worker that is about to work on it: when there is another job as well, a worker is woken for that.
  std::shared_ptr<Job> take(const Worker& worker, unsigned index, std::uint64_t owner, std::uint64_t& version);
  std::uint64_t version() const { return version_.load(); }

  // Wakes one sleeping worker for a job that has more pieces. `eager`: even the one whose core the host thread last
  // used, which may be about to help.
  void wake_one(const Job& job, bool eager) { wake(job, 1, eager); }
  // The same by a worker that has just begun with the job: wakes several, so that it takes few steps from the first
  // worker to the last one. To wake a thread up takes longer than many a launch.
  void wake_several(const Job& job, bool eager);
  // Wakes a worker for another job than the one that was taken, where there is one: the worker that was woken for it
  // may have taken this one, which may take long or wait for the host.
  void wake_for_others(const Job& taken);

  // The core from which the host last submitted, or -1.
  int host_core() const { return host_core_.load(std::memory_order_relaxed); }
  void set_host_core(int core) {
    if (host_core() != core) host_core_.store(core, std::memory_order_relaxed);
  }

  // The worker's thread is about to sleep, or has slept.
  void begin_sleep(WorkerState& worker);
  void end_sleep(WorkerState& worker);

  // Sends a signal to the threads that occupy workers. Any thread.
  void send_to_workers(int signal) {
    for (WorkerState* const worker : workers_) worker->send(signal);
  }

  // Sum of the workers' progress, and whether any of them is busy with something else than spinning.
  std::uint64_t progress() const;
  bool any_running(const WorkerState& except, std::uint64_t now_ns) const;

 private:
  void wake(const Job& job, unsigned most, bool eager);
  // pick(), with the lock held.
  std::shared_ptr<Job> find(const Worker& worker, unsigned index, std::uint64_t owner, std::uint64_t& version);

  std::vector<WorkerState*> workers_;
  AdaptiveLock lock_;
  std::vector<std::shared_ptr<Job>> ready_;  // by priority, then first come
  std::uint64_t sequence_ = 0;
  alignas(64) std::atomic<std::uint64_t> version_{1};  // grows with every post
  std::atomic<int> host_core_{-1};
  std::atomic<unsigned> sleepers_{0};
};

}  // namespace heddle::device::cpu
