// The workers of a device and the jobs that are ready for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "device/cpu/fault.hpp"
#include "device/cpu/job.hpp"
#include "device/cpu/spin_lock.hpp"
#include "device/cpu/topology.hpp"
#include "device/cpu/worker.hpp"

namespace heddle::device::cpu {

class Pool {
 public:
  Pool(unsigned workers, const Topology& topology, Services& services);
  // All jobs must have ended.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned size() const { return static_cast<unsigned>(seats_.size()); }

  // Makes a job available to the workers it allows. Any thread.
  void post(std::shared_ptr<Job> job);
  // Returns when the target is done; the calling thread does its part of the work meanwhile. Called within a host
  // function on a worker, it goes on with other work there.
  void wait(WaitTarget& target);

  // For workers.
  // The most urgent job with pieces left that the worker may take; of one owner when `owner` is not 0. Tells the
  // version of the list that was looked at.
  std::shared_ptr<Job> pick(const Worker& worker, std::uint64_t owner, std::uint64_t& version);
  // The same for one who is about to work on it: when there is another job as well, somebody is woken for that.
  std::shared_ptr<Job> take(const Worker& worker, std::uint64_t owner, std::uint64_t& version);
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // Wakes one sleeping worker for a job that has more pieces. `eager`: even the one whose core the host thread last
  // used, which may be about to help.
  void wake_one(const Job& job, bool eager);
  // Wakes a worker for another job than the one that was taken, where there is one: who was woken for that may have
  // taken this one, which may take long or wait for the host.
  void wake_for_others(const Job& taken);
  // Sum of what the workers have brought forward, and whether any of them is busy with something else than spinning.
  std::uint64_t progress() const;
  bool any_running(const Worker& except, std::uint64_t now_ns) const;
  // Fibers that one worker may keep resident at a time.
  unsigned fiber_share() const { return most_fibers / size(); }
  unsigned fiber_share_of(unsigned fibers_per_block) const;
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // Each resident fiber takes two memory mappings, and a process has 65530 of them by default.
  static constexpr unsigned most_fibers = 12288;

 private:
  enum class ThreadState : std::uint32_t { awake, spinning, sleeping };
  struct Seat {
    Seat(unsigned index, Pool& pool, Services& services) : worker(index, pool, services) {}
    Worker worker;
    alignas(64) std::atomic<std::uint32_t> pokes{0};
    std::atomic<ThreadState> state{ThreadState::awake};
    std::thread thread;
  };

  void thread_main(Seat& seat);
  void idle(Seat& seat, std::uint64_t version, std::uint32_t pokes);
  // pick(), with the lock held.
  std::shared_ptr<Job> find(const Worker& worker, std::uint64_t owner, std::uint64_t& version);
  void poke(Seat& seat);
  Seat* take_seat(const WorkerSet& allowed);
  void leave_seat(Seat& seat);
  // Stays at the seat for a while because the end is near. False: leave.
  bool linger(Seat& seat, WaitTarget& target);
  bool has_work_for(const Worker& worker);

  const Topology& topology_;
  Services& services_;
  FaultHandlers fault_handlers_;
  std::vector<std::unique_ptr<Seat>> seats_;

  SpinLock lock_;
  std::vector<std::shared_ptr<Job>> ready_;  // by priority, then first come
  std::uint64_t sequence_ = 0;
  alignas(64) std::atomic<std::uint64_t> version_{1};  // grows with every post
  std::atomic<int> host_core_{-1};
  std::atomic<unsigned> sleepers_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace heddle::device::cpu
