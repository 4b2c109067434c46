// Ranges of one launch that a queue runs one after the other: each goes on where the last one ended.
//
// In one stream a range would begin when the last block of the one before has ended: the GPU drains and fills again for
// each, which takes a few microseconds, and as long as a block where blocks are long. So a chain runs in two streams in
// turns: one fills the GPU while the other drains. Only for kernels whose blocks are independent: their ranges have no
// order, as the blocks of a whole launch have none.
#pragma once

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

  struct Place {
    driver::Stream stream;
    // The command before it in this stream is a range of the chain: blocks may begin as soon as that one's have ended.
    bool early;
  };
  // Where to launch the range of kernel `function` (CudaFunction::id()): in `stream` or `side`, two streams that stay
  // the same until end(). Begins a chain, after end(), when the range does not continue the one there is.
  Place add(std::uint64_t function, const LaunchConfig& config, BlockRange range, std::span<const std::byte> arguments,
            driver::Stream stream, driver::Stream side);
  // What comes into `stream` from now on comes after all ranges. Before every other command of the queue.
  void end();

 private:
  bool continues(std::uint64_t function, const LaunchConfig& config, BlockRange range,
                 std::span<const std::byte> arguments) const;
  void check(driver::Result result, const char* what) const { state_->check(result, what); }

  std::shared_ptr<DeviceState> state_;
  // The last range that was added.
  std::uint64_t function_ = 0;  // 0: there is no chain
  LaunchConfig config_;
  std::uint64_t end_ = 0;
  std::vector<std::byte> arguments_;
  unsigned ranges_ = 0;
  driver::Stream stream_ = nullptr, side_ = nullptr;
  std::unique_ptr<CudaPoint> before_;  // what was in `stream_` before the chain
};

}  // namespace heddle::device::cuda
