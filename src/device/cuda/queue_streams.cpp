#include "device/cuda/queue_streams.hpp"

#include <algorithm>

#include "device/cuda/partition.hpp"

namespace heddle::device::cuda {
namespace {

// The driver counts the other way round: lower numbers run first.
int stream_priority(const DeviceState& state, int priority) {
  int lowest = 0, highest = 0;
  state.check(state.driver().context_priorities(&lowest, &highest), "asking for the priorities of streams");
  return std::clamp(-priority, highest, lowest);
}

}  // namespace

StreamTarget target_of(const CudaPartition* partition, const DeviceState& state) {
  if (!partition) return {nullptr, state.info().processors};
  return {partition->context(), static_cast<unsigned>(partition->processors().ids.size())};
}

QueueStreams::QueueStreams(std::shared_ptr<DeviceState> state, int priority, const StreamTarget& target)
    : state_(std::move(state)) {
  state_->check_lost();
  const DeviceState::Current scope(*state_);
  priority_ = stream_priority(*state_, priority);
  select(target);
}

driver::Stream QueueStreams::stream(driver::GreenContext context, unsigned number) {
  driver::Stream& stream = streams_[{context, number}];
  if (stream) return stream;
  const Driver& cuda = state_->driver();
  if (context)
    state_->check(cuda.green_stream_create(&stream, context, driver::stream_non_blocking, priority_),
                  "making a stream of a partition");
  else
    state_->check(cuda.stream_create(&stream, driver::stream_non_blocking, priority_), "making a stream");
  return stream;
}

void QueueStreams::select(const StreamTarget& target) {
  current_ = of(target);
  target_ = target;
}

void QueueStreams::destroy() {
  for (const auto& [key, stream] : streams_) state_->driver().stream_synchronize(stream);
  for (const auto& [key, stream] : streams_) state_->driver().stream_destroy(stream);
}

}  // namespace heddle::device::cuda
