#include "device/cuda/range_chain.hpp"

#include <algorithm>

namespace heddle::device::cuda {

void RangeChain::begin(std::uint64_t function, const LaunchConfig& config, std::uint64_t first,
                       std::span<const std::byte> arguments, std::span<const driver::Stream> streams) {
  stream_count_ = static_cast<unsigned>(std::min<std::size_t>(streams.size(), most_streams));
  std::copy_n(streams.begin(), stream_count_, streams_.begin());
  before_ = std::make_unique<CudaPoint>(state_, false);
  check(state_->driver().event_record(before_->handle(), streams_[0]), "recording an event");
  function_ = function;
  config_ = config;
  end_ = first;
  arguments_.assign(arguments.begin(), arguments.end());
}

RangeChain::Place RangeChain::next(std::uint64_t end) {
  end_ = end;
  const unsigned number = ranges_++;
  const driver::Stream stream = streams_[number % stream_count_];
  if (number > 0 && number < stream_count_)
    check(state_->driver().stream_wait_event(stream, before_->handle(), 0), "waiting for an event");
  return {stream, number >= stream_count_};
}

void RangeChain::end() {
  if (function_ == 0) return;
  function_ = 0;
  const unsigned used = std::min(ranges_, stream_count_);
  ranges_ = 0;
  for (unsigned i = 1; i < used; ++i) {
    const CudaPoint after(state_, false);
    check(state_->driver().event_record(after.handle(), streams_[i]), "recording an event");
    check(state_->driver().stream_wait_event(streams_[0], after.handle(), 0), "waiting for an event");
  }
}

bool RangeChain::continues(std::uint64_t function, const LaunchConfig& config, BlockRange range,
                           std::span<const std::byte> arguments) const {
  return function_ == function && end_ == range.begin && config_.grid == config.grid && config_.block == config.block &&
         config_.dynamic_shared_bytes == config.dynamic_shared_bytes &&
         std::equal(arguments.begin(), arguments.end(), arguments_.begin(), arguments_.end());
}

}  // namespace heddle::device::cuda
