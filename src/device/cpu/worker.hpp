// A worker: the resident blocks of one core, and the fibers that execute them. One thread at a time occupies a worker:
// its own thread, or a host thread that waits for a result. Resident blocks belong to the worker, so that another
// thread can continue with them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/block.hpp"
#include "device/cpu/fault.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/launch_job.hpp"
#include "device/cpu/ready_jobs.hpp"
#include "device/cpu/stall.hpp"
#include "device/cpu/worker_state.hpp"

namespace heddle::device::cpu {

struct AllocationMap;
class Services;

// What a host thread waits for.
class WaitTarget {
 public:
  virtual ~WaitTarget() = default;
  virtual bool done() const = 0;
  // The owner of the jobs that it depends on; 0: any.
  virtual std::uint64_t owner_id() const = 0;
  // On which workers they run.
  virtual const WorkerSet& workers() const = 0;
  // Sleeps until done.
  virtual void block() = 0;
};

// Each resident fiber takes two memory mappings, and a process has 65530 of them by default.
// Cooperative launches may have more, as their blocks must be resident together.
inline constexpr unsigned most_fibers = 12288, most_cooperative_fibers = 24576;
// Fibers that one of so many workers may keep resident at a time: one block's at least.
constexpr unsigned fiber_share(unsigned workers, unsigned fibers_per_block, bool cooperative) {
  return std::max((cooperative ? most_cooperative_fibers : most_fibers) / workers, fibers_per_block);
}

class Worker {
 public:
  Worker(unsigned index, ReadyJobs& jobs, Services& services);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  unsigned index() const { return state_.index(); }
  WorkerState& state() { return state_; }
  ReadyJobs& jobs() { return jobs_; }
  Services& services() { return services_; }

  // Only the thread that occupies the worker may call what follows.
  // Works until there is nothing to do, or the target is done or no longer served by this worker.
  void run(WaitTarget* target);
  bool has_residents() const { return !residents_.empty(); }
  // On its thread, as the job that it has worked on ends: whether it looks for the next job right after.
  bool is_free_next() const { return residents_.empty() && target_ == nullptr; }
  // One more block of the job may become resident.
  bool has_room(const LaunchJob& job) const;

  // For jobs.
  void run_direct(LaunchJob& job, BlockRange chunk) noexcept;
  void run_fibers(LaunchJob& job) noexcept;
  // The worker should check for other jobs before the job's next piece.
  bool interrupted() const;

  // For runtime calls, on the fiber of the warp. May return on another thread.
  void wait_for_others(Warp& warp);
  void go_on_in_order(Warp& warp);  // the warp has completed a barrier, and others go on with it
  void spin(Warp& warp);
  void lanes_left(Warp& warp, unsigned count) noexcept;
  // The barrier is complete.
  void release(Block& block, unsigned barrier) noexcept;
  // The fault() has been filled in: ends the launch.
  [[noreturn]] void abandon(Warp& warp);
  void note_progress() { state_.note_progress(); }
  Fault& fault() { return fault_; }
  std::string& scratch() { return scratch_; }
  // The allocations as of now, for check().
  const AllocationMap& allocations();

  // For the signal handler.
  bool in_kernel() const { return current() != nullptr; }
  const Warp* current() const { return current_.load(std::memory_order_relaxed); }
  std::byte* recovery_stack() const { return recovery_stack_->start(); }
  [[noreturn]] void land();

 private:
  // First functions of the fibers.
  static void fiber_main(void* worker);
  static void direct_main(void* worker);
  void resume(Warp& warp);
  // False when there is no memory for a block.
  bool prepare_direct(LaunchJob& job, BlockRange chunk);
  void finish_warp(Warp& warp);
  void make_current(Warp& warp);
  void switch_to(Warp& warp, int next);  // of the same block; negative: to the scheduler
  void run_phases(const LaunchJob& job);
  // Fiber shape.
  bool admit(LaunchJob& job);
  std::unique_ptr<Block> make_block(const LaunchJob& job);
  std::unique_ptr<Block> block_of(LaunchJob& job, std::uint64_t id) noexcept;
  void begin_block(Block& block, LaunchJob& job, std::uint64_t id);
  void step_residents();
  // True when the block has ended, well or not.
  bool run_block(Block& block);
  bool admit_more();
  void retire(std::size_t resident, bool reusable);
  void forget_block(std::unique_ptr<Block> block) noexcept;
  void wait_for_progress();
  std::uint64_t memory_print() const;
  void report_deadlock();
  bool ended_by_time_limit(const Block& block);
  void end_in_failure(LaunchJob& job, Warp& warp);

  WorkerState state_;
  ReadyJobs& jobs_;
  Services& services_;

  alignas(64) std::atomic<Warp*> current_{nullptr};
  Fiber scheduler_, recovery_;
  Stack* recovery_stack_ = nullptr;
  Fault fault_;
  WaitTarget* target_ = nullptr;
  std::uint64_t seen_version_ = 0;       // of the list of jobs, when it was last read
  std::uint64_t exhausted_version_ = 0;  // there was no job for this worker, of any owner

  // Direct shape and that of phases: one fiber, whose stack fits the kernel that runs.
  struct Direct {
    Block block;
    Warp warp;
    BlockRange chunk;
    std::array<std::uint16_t, FiberSet::capacity> waiting{};  // shape of phases: the warps that wait at a barrier
  };
  Direct direct_;

  std::vector<std::unique_ptr<Block>> residents_, spare_;
  std::atomic<unsigned> resident_fibers_{0};  // read by other threads
  unsigned idle_rounds_ = 0, busy_rounds_ = 0;
  StallWatch stall_;

  std::string scratch_;
  std::shared_ptr<const AllocationMap> allocations_;
  std::uint64_t allocations_version_ = 0;
};

}  // namespace heddle::device::cpu
