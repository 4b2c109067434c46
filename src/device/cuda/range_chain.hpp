// Consecutive ranges of one launch in a queue: each continues where the last one ended.
//
// In one stream a range would begin when the last block of the one before has ended: the GPU drains and fills again for
// each, which takes a few microseconds, and as long as a block where blocks are long. So a chain runs in two streams in
// turns: one fills the GPU while the other drains. Ranges that are much smaller than the GPU run in more streams, so
// that more of them are in flight. Only for kernels whose blocks are independent: their ranges have no order, as the
// blocks of a whole launch have none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/cuda/event.hpp"
#include "device/queue.hpp"

namespace heddle::device::cuda {

// Not for several threads at once. All calls need the GPU's context.
class RangeChain {
 public:
  explicit RangeChain(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}

  static constexpr unsigned most_streams = 4;

  // Whether the range continues where the last one of the chain ended.
  bool continues(std::uint64_t function, const LaunchConfig& config, BlockRange range,
                 std::span<const std::byte> arguments) const;
  // Begins a chain, when none is open, for ranges of kernel `function` (CudaFunction::id()) from block `first` on. It
  // runs in `streams`, at most most_streams, which stay the same until end(): the first is the queue's own.
  void begin(std::uint64_t function, const LaunchConfig& config, std::uint64_t first,
             std::span<const std::byte> arguments, std::span<const driver::Stream> streams);
  struct Place {
    driver::Stream stream;
    // The command before it in this stream is a range of the chain: blocks may begin as soon as that one's have ended.
    bool early;
  };
  // Where to launch the next range, which ends at block `end`.
  Place next(std::uint64_t end);
  // Later commands in the queue's own stream run after all ranges. To be called before every other command of the
  // queue.
  void end();

 private:
  void check(driver::Result result, const char* what) const { state_->check(result, what); }

  std::shared_ptr<DeviceState> state_;
  // The last range that was added.
  std::uint64_t function_ = 0;  // 0: no chain is open
  LaunchConfig config_;
  std::uint64_t end_ = 0;
  std::vector<std::byte> arguments_;
  unsigned ranges_ = 0;
  std::array<driver::Stream, most_streams> streams_{};
  unsigned stream_count_ = 0;
  std::unique_ptr<CudaPoint> before_;  // what was in the queue's stream before the chain
};

}  // namespace heddle::device::cuda
