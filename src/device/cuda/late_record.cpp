#include "device/cuda/late_record.hpp"

#include <utility>

namespace heddle::device::cuda {

LateRecord::LateRecord(std::shared_ptr<DeviceState> state, driver::Stream stream)
    : state_(std::move(state)), stream_(stream), event_(state_->acquire_event(false)) {}

LateRecord::~LateRecord() { state_->release_event(event_, false); }

bool LateRecord::join(driver::Stream stream) {
  if (stream != stream_) return false;
  const base::Lock lock(mutex_);
  if (recorded_.load(std::memory_order_relaxed)) return false;
  if (++members_ == most) record_in_stream();
  return true;
}

void LateRecord::record() const {
  if (recorded_.load(std::memory_order_acquire)) return;
  const base::Lock lock(mutex_);
  if (recorded_.load(std::memory_order_relaxed)) return;
  if (state_->gone()) {
    recorded_.store(true, std::memory_order_release);
    return;
  }
  const DeviceState::Current current(*state_);
  record_in_stream();
}

void LateRecord::record_in_stream() const {
  result_ = state_->driver().event_record(event_, stream_);
  recorded_.store(true, std::memory_order_release);
}

void LateRecord::end() {
  const base::Lock lock(mutex_);
  recorded_.store(true, std::memory_order_release);
}

driver::Result LateRecord::result() const {
  const base::Lock lock(mutex_);
  return result_;
}

}  // namespace heddle::device::cuda
