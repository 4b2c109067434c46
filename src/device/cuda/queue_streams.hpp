// The driver's streams of one queue.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "device/cuda/state.hpp"

namespace heddle::device::cuda {

class CudaPartition;

// What a queue's streams run on.
struct StreamTarget {
  driver::GreenContext context = nullptr;  // null: the whole GPU
  unsigned processors = 0;
};

// Null: the whole GPU.
StreamTarget target_of(const CudaPartition* partition, const DeviceState& state);

// One stream for each target that the queue has had, and more for ranges that run in turns (range_chain.hpp). All calls
// but the constructor need the GPU's context.
class QueueStreams {
 public:
  // Higher priorities run first; those beyond the driver's range are clamped to it. Throws device_lost.
  QueueStreams(std::shared_ptr<DeviceState> state, int priority, const StreamTarget& target);
  QueueStreams(const QueueStreams&) = delete;
  QueueStreams& operator=(const QueueStreams&) = delete;

  driver::Stream current() const { return current_; }
  unsigned processors() const { return target_.processors; }
  // The target's first stream, made at the first call.
  driver::Stream of(const StreamTarget& target) { return stream(target.context, 0); }
  // An additional stream of the current target, by number from 1.
  driver::Stream additional(unsigned number) { return stream(target_.context, number); }
  void select(const StreamTarget& target);
  // Waits for all streams and destroys them.
  void destroy();

 private:
  driver::Stream stream(driver::GreenContext context, unsigned number);

  std::shared_ptr<DeviceState> state_;
  int priority_ = 0;  // as the driver counts
  StreamTarget target_;
  std::map<std::pair<driver::GreenContext, unsigned>, driver::Stream> streams_;
  driver::Stream current_ = nullptr;
};

}  // namespace heddle::device::cuda
