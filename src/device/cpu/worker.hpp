// A worker: a seat on one core at which blocks run. The seat's own thread sits there when there is work, or a host
// thread that waits for a result takes its place. What is resident belongs to the seat, so threads can relieve each
// other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/block.hpp"
#include "device/cpu/fault.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/launch_job.hpp"
#include "device/cpu/stall.hpp"

namespace heddle::device::cpu {

struct AllocationMap;
class Pool;
class Services;

// What a host thread waits for.
class WaitTarget {
 public:
  virtual ~WaitTarget() = default;
  virtual bool done() const = 0;
  // Jobs of which owner bring the end nearer; 0: any.
  virtual std::uint64_t owner_id() const = 0;
  // On which workers they run.
  virtual const WorkerSet& workers() const = 0;
  // Sleeps until done.
  virtual void block() = 0;
};

class Worker {
 public:
  Worker(unsigned index, Pool& pool, Services& services);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  unsigned index() const { return index_; }
  Pool& pool() { return pool_; }
  Services& services() { return services_; }

  // The seat. Only the thread that has occupied it may call what follows, up to vacate().
  bool try_occupy();
  bool occupied() const { return occupied_.load(std::memory_order_seq_cst); }
  void vacate();
  // Works until there is nothing to do, or the target is done or no longer served by this seat.
  void run(WaitTarget* target);
  bool has_residents() const { return !residents_.empty(); }
  // One more block of the job may become resident.
  bool has_room(const LaunchJob& job) const;

  // For jobs.
  void run_direct(LaunchJob& job, BlockRange chunk);
  void run_fibers(LaunchJob& job);
  // Something else should be looked at before the job's next piece.
  bool interrupted() const;

  // For runtime calls, on the fiber of the warp. May return on another thread.
  void wait_for_others(Warp& warp);
  void spin(Warp& warp);
  void lanes_left(Warp& warp, unsigned count);
  // The fault() has been filled in: ends the launch.
  [[noreturn]] void abandon(Warp& warp);
  void note_progress() { progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  Fault& fault() { return fault_; }
  std::string& scratch() { return scratch_; }
  // The allocations as of now, for check().
  const AllocationMap& allocations();

  // For the signal handler.
  bool in_kernel() const { return current_.load(std::memory_order_relaxed) != nullptr; }
  std::byte* recovery_stack() const { return recovery_stack_->start(); }
  [[noreturn]] void land();

  // For other workers, to tell a deadlock from work.
  bool is_running(std::uint64_t now_ns) const;
  std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }

 private:
  friend struct WarpMain;
  void resume(Warp& warp);
  void finish_warp(Warp& warp);
  // Fiber shape.
  bool admit(LaunchJob& job);
  std::unique_ptr<Block> make_block(const LaunchJob& job);
  void begin_block(Block& block, LaunchJob& job, std::uint64_t id);
  void step_residents();
  // True when the block has ended, well or not.
  bool run_block(Block& block);
  bool admit_more();
  void retire(std::size_t resident, bool reusable);
  void forget_block(std::unique_ptr<Block> block);
  void wait_for_progress();
  std::uint64_t memory_print() const;
  void report_deadlock();
  void end_in_failure(LaunchJob& job, const Warp& warp);

  const unsigned index_;
  Pool& pool_;
  Services& services_;

  alignas(64) std::atomic<bool> occupied_{false};
  alignas(64) std::atomic<std::uint64_t> progress_{0};
  enum class Activity : std::uint8_t { idle, running, spinning };
  std::atomic<Activity> activity_{Activity::idle};
  std::atomic<std::uint64_t> polled_ns_{0};

  alignas(64) std::atomic<Warp*> current_{nullptr};
  Fiber scheduler_, recovery_;
  Stack* recovery_stack_ = nullptr;
  Fault fault_;
  WaitTarget* target_ = nullptr;
  std::uint64_t seen_version_ = 0;       // of the list of jobs, at the last look
  std::uint64_t exhausted_version_ = 0;  // there was nothing for this worker, whoever asks

  // Direct shape: one fiber, whose stack fits the kernel that runs.
  struct Direct {
    Block block;
    Warp warp;
    BlockRange chunk;
  };
  Direct direct_;

  std::vector<std::unique_ptr<Block>> residents_, spare_;
  std::atomic<unsigned> resident_fibers_{0};  // others may ask whether there is room
  unsigned idle_rounds_ = 0;
  StallWatch stall_;

  std::string scratch_;
  std::shared_ptr<const AllocationMap> allocations_;
  std::uint64_t allocations_version_ = 0;
};

}  // namespace heddle::device::cpu
