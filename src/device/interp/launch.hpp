// Runs the blocks of a launch: schedules the threads of a warp, warps and blocks, and detects deadlocks.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/quiet_period.hpp"
#include "device/emulated/loaded_module.hpp"
#include "device/interp/resident.hpp"
#include "device/interp/state.hpp"
#include "device/machine/core.hpp"
#include "device/stoppable_launch.hpp"

namespace heddle::device::interp {

class Launch {
 public:
  Launch(InterpState& interpreter, const emulated::KernelRun& run);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // Executes all blocks. Throws kernel_fault, deadlock, unsupported.
  void run();
  // After run() has returned: all blocks before this one have run.
  std::uint64_t next_block() const { return next_block_; }

 private:
  enum class Turn : std::uint8_t { finished, out_of_budget };
  using Block = machine::Block;
  using Thread = machine::Thread;
  using ThreadState = machine::ThreadState;
  using LaneMask = machine::LaneMask;

  std::uint64_t memory_epoch() const { return state_.machine.memory_epoch; }
  void admit();
  bool more_blocks() const { return next_block_ < range_.end && !(stop_ && stop_->stopped()); }
  Turn run_block(Resident& resident);
  bool run_warp(Resident& resident, std::size_t warp);
  bool step_warp(Resident& resident, std::size_t warp);
  const Thread* choose(const Resident& resident, std::size_t warp, ThreadState state, bool fair) const;
  void run_group(Resident& resident, std::size_t warp, LaneMask group);
  void watch_branches(Resident& resident, const machine::Warp& warp, std::uint32_t from);
  void gather(Resident& resident, std::size_t warp, const Thread& leader);
  bool complete_meetings(Block& block, const machine::Warp& warp);
  bool complete_barriers(Block& block);

  void check_time() const;
  void watch();
  bool all_repeat() const;
  [[noreturn]] void report_blocked(const Block& block) const;
  [[noreturn]] void report_spinning(bool repeated) const;

  InterpState& interpreter_;
  emulated::DeviceState& state_;
  const BlockRange range_;
  machine::Grid grid_;
  machine::Core core_;
  machine::Effects effects_;
  std::uint64_t next_block_;
  StopFlag* stop_;
  std::deque<std::unique_ptr<Resident>> resident_;
  bool watch_spinning_ = false;  // memory has not changed for some time
  bool from_first_ = false;      // a barrier of all threads is complete: warps go on in the order of their numbers
  // Memory epoch and instruction count at the last change of memory that was seen.
  std::uint64_t seen_epoch_ = 0, seen_instructions_ = 0;
  base::QuietPeriod no_progress_;
  std::uint64_t end_ns_ = 0;  // of the launch's time; 0: it may run for ever
};

}  // namespace heddle::device::interp
