// The workers of a device with their threads, and host threads that work while they wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "device/cpu/fault_handlers.hpp"
#include "device/cpu/job.hpp"
#include "device/cpu/ready_jobs.hpp"
#include "device/cpu/time_limit_signal.hpp"
#include "device/cpu/topology.hpp"
#include "device/cpu/worker.hpp"
#include "device/cpu/worker_state.hpp"

namespace heddle::device::cpu {

class Pool {
 public:
  Pool(unsigned workers, const Topology& topology, Services& services);
  // All jobs must have ended.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned size() const { return static_cast<unsigned>(seats_.size()); }

  // Makes a job available to the workers it allows. Any thread. `at_end`: the calling thread does nothing else any more
  // for a job that has ended.
  void post(std::shared_ptr<Job> job, bool at_end = false);
  // Returns when the target is done; the calling thread works on jobs in the meantime. Called within a host function on
  // a worker, it executes other jobs there.
  void wait(WaitTarget& target);

  // Fibers of a cooperative launch that one worker may keep resident at a time, where a block has so many.
  unsigned cooperative_share_of(unsigned fibers_per_block) const { return fiber_share(size(), fibers_per_block, true); }

 private:
  struct Seat {
    Seat(unsigned index, ReadyJobs& jobs, Services& services) : worker(index, jobs, services) {}
    Worker worker;
    std::thread thread;
  };

  void stop();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  void thread_main(Seat& seat);
  std::uint64_t idle(WorkerState& state, std::uint64_t version, std::uint32_t wakeups, std::uint64_t last_ns);
  // The calling thread occupies the worker from now on, or leaves it.
  void occupy(Worker& worker);
  void leave(Worker& worker, Worker* occupied_before);
  Seat* take_seat(const WorkerSet& allowed);
  void leave_seat(Seat& seat);
  // Spins at the seat for a while because the target is likely to be done soon. False: leave.
  bool linger(Seat& seat, WaitTarget& target);
  bool has_work_for(const Worker& worker);

  const Topology& topology_;
  Services& services_;
  FaultHandlers fault_handlers_;
  const bool has_time_limit_;
  TimeLimitHandler time_limit_handler_;
  ReadyJobs jobs_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::atomic<bool> stopping_{false};
};

}  // namespace heddle::device::cpu
