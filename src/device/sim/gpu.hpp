// The simulated GPU in time: its SMs, what they share of memory, and the launches that are under way on it.
//
// Time advances in epochs, in which every SM is simulated alone, by any thread. Blocks start, and what one SM does
// reaches another, at the end of an epoch only, except operations by which blocks synchronise: these are executed in
// the order (cycle, SM).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/worker_thread.hpp"
#include "device/sim/memory_model.hpp"
#include "device/sim/sm.hpp"
#include "device/stoppable_launch.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::sim {

// A launch on the machine.
struct GpuLaunch {
  GpuLaunch(machine::Grid& grid, ProgramTiming& timing, const BlockNeeds& needs, BlockRange its_range)
      : work{grid, timing, needs}, range(its_range), next(its_range.begin) {
    if (!range.empty()) parts.push_back(range);
  }

  GridWork work;
  const BlockRange range;
  StopFlag* stop = nullptr;
  std::vector<bool> sms;  // on which it may run
  int priority = 0;
  std::vector<BlockRange> parts;  // that run here, in this order; none is empty
  // Of a launch that is sampled: the parts that something else executes when it is done. The machine moves them to
  // `parts` when another launch comes: then an estimate would be of both.
  std::vector<BlockRange> rest;

  // The machine's.
  std::size_t part = 0;    // the first with blocks that have not begun
  std::uint64_t next;      // the first block that has not begun
  std::uint64_t live = 0;  // blocks on SMs
  Cycle start = 0, end = 0;
  std::exception_ptr failure;
  bool done = false;
  KernelStatistics statistics;  // when it is done
  std::vector<Cycle> ends;      // of blocks, where it is sampled
  bool more() const { return part < parts.size() && !(stop && stop->stopped()); }
  // The next block.
  std::uint64_t take();
  // Runs these parts only.
  void sample(std::vector<BlockRange> simulated, std::vector<BlockRange> others);
  // Runs all others here too.
  void take_rest();
};

class Gpu {
 public:
  // The description outlives it. `host_threads` simulate SMs; 0 and 1: the caller's alone.
  Gpu(const MachineDescription& machine, bool ideal_memory, unsigned host_threads);

  // From now on each SM checks after each cycle what must hold for its policies; a launch that breaks it fails.
  void audit();

  // Tells it from now on what happens. Null: nobody.
  void observe(GpuObserver* observer);

  // A launch becomes the last of its priority at `cycle` or, if that has passed, now. It stays until it is done.
  void add(GpuLaunch& launch, Cycle cycle);
  // Removes a launch that is not done. Its statistics are those so far.
  void cancel(GpuLaunch& launch);
  // Simulates an epoch, or a long time in which nothing happens.
  void advance();
  bool idle() const { return launches_.empty(); }
  Cycle now() const { return now_; }
  // Nothing can happen any more unless a launch is added.
  bool stuck() const;
  // Memory has not changed while many instructions ran, and all threads repeat their steps.
  bool spins() const;
  // Thread instructions since memory changed last.
  std::uint64_t quiet_instructions() const { return instructions_ - seen_instructions_; }
  // Blocks of the launch on SMs that have a thread left, `most` at most.
  std::vector<const BlockContext*> blocks_of(const GpuLaunch& launch, std::size_t most) const;

 private:
  Cycle idle_epochs() const;
  void distribute();
  bool start_block(GpuLaunch& launch);
  void run_sms(Cycle end);
  void run_ordered(Cycle end);
  void take_ended();
  void finish(GpuLaunch& launch);
  void take_statistics(GpuLaunch& launch, Cycle end);
  std::vector<SmStatistics> by_sm();
  void look_for_loops();
  SmStatistics totals();

  const MachineDescription& machine_;
  std::unique_ptr<MemoryModel> memory_;
  std::vector<std::unique_ptr<Sm>> sms_;
  std::vector<std::unique_ptr<base::WorkerThread>> helpers_;
  std::vector<char> reached_;  // by SM: the end of the epoch
  std::vector<GpuLaunch*> launches_;
  Cycle now_ = 0;
  Cycle epoch_length_ = 1;
  GpuObserver* observer_ = nullptr;
  double next_start_ = 0;  // the cycle from which the distributor can start another block
  unsigned cursor_ = 0;    // the SM that it asks first
  std::uint64_t seen_epoch_ = 0, instructions_ = 0, seen_instructions_ = 0;
};

}  // namespace heddle::device::sim
