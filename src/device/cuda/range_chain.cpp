#include "device/cuda/range_chain.hpp"

#include <algorithm>

namespace heddle::device::cuda {

RangeChain::Place RangeChain::add(std::uint64_t function, const LaunchConfig& config, BlockRange range,
                                  std::span<const std::byte> arguments, driver::Stream stream, driver::Stream side) {
  if (!continues(function, config, range, arguments)) {
    end();
    stream_ = stream;
    side_ = side;
    before_ = std::make_unique<CudaPoint>(state_, false);
    check(state_->driver().event_record(before_->handle(), stream_), "recording an event");
    function_ = function;
    config_ = config;
    arguments_.assign(arguments.begin(), arguments.end());
  }
  end_ = range.end;
  const unsigned number = ranges_++;
  if (number == 1) check(state_->driver().stream_wait_event(side_, before_->handle(), 0), "waiting for an event");
  return {number % 2 == 0 ? stream_ : side_, number >= 2};
}

void RangeChain::end() {
  if (function_ == 0) return;
  function_ = 0;
  const bool both = ranges_ > 1;
  ranges_ = 0;
  if (!both) return;
  const CudaPoint after(state_, false);
  check(state_->driver().event_record(after.handle(), side_), "recording an event");
  check(state_->driver().stream_wait_event(stream_, after.handle(), 0), "waiting for an event");
}

bool RangeChain::continues(std::uint64_t function, const LaunchConfig& config, BlockRange range,
                           std::span<const std::byte> arguments) const {
  return function_ == function && end_ == range.begin && config_.grid == config.grid && config_.block == config.block &&
         config_.dynamic_shared_bytes == config.dynamic_shared_bytes &&
         std::equal(arguments.begin(), arguments.end(), arguments_.begin(), arguments_.end());
}

}  // namespace heddle::device::cuda
