// Runs the blocks of a launch: which threads of a warp go next, which warps, which blocks, and when nothing can go on.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "device/interp/executor.hpp"

namespace heddle::device::interp {

class Launch {
 public:
  // `arguments` is the packed parameter buffer.
  // `footprint`: Queue::set_footprint(). Begins no further block once `stop` says so. Both may be null.
  Launch(LoadedFunction& function, const LaunchConfig& config, BlockRange range, std::span<const std::byte> arguments,
         const Footprint* footprint, StopFlag* stop = nullptr);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // Executes all blocks. Throws kernel_fault, deadlock, unsupported.
  void run();
  // Blocks before this one have run, once run() has returned.
  std::uint64_t next_block() const { return next_block_; }

 private:
  std::uint64_t workspace() const;
  enum class Turn : std::uint8_t { finished, out_of_budget };

  void admit();
  bool more_blocks() const { return next_block_ < context_.range.end && !(stop_ && stop_->stopped()); }
  Turn run_block(Block& block);
  bool run_warp(Block& block, Warp& warp);
  bool step_warp(Block& block, Warp& warp);
  Thread* choose(Block& block, Warp& warp, ThreadState state, bool fair) const;
  void run_group(Block& block, Warp& warp, const Thread& leader);
  void gather(Block& block, Warp& warp, const Thread& leader);
  void arrive(Block& block, Thread& thread);
  bool is_complete(const Block& block, const Barrier& barrier) const;
  void complete_barrier(Block& block, unsigned id);
  bool complete_barriers(Block& block);
  bool complete_meetings(Block& block, Warp& warp);

  void watch();
  bool all_repeat() const;
  [[noreturn]] void report_blocked(const Block& block) const;
  [[noreturn]] void report_spinning(bool repeated) const;
  std::string waiting_threads(const Block& block) const;

  LaunchContext context_;
  Executor executor_;
  std::uint64_t next_block_;
  StopFlag* stop_;
  std::deque<std::unique_ptr<Block>> resident_;
  std::uint64_t seen_epoch_ = 0, seen_instructions_ = 0;  // when memory last changed, and how far we were then
  std::uint64_t stuck_since_ns_ = 0;
};

}  // namespace heddle::device::interp
