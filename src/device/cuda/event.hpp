// Events of a GPU. Each record is a driver's event of its own, so that points stay what they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "base/thread_safety.hpp"
#include "device/cuda/late_record.hpp"
#include "device/cuda/state.hpp"
#include "device/polled_point.hpp"

namespace heddle::device::cuda {

class CudaPoint final : public PolledPoint {
 public:
  // Needs the GPU's context. `timed`: for completed_ns(); recording takes the driver ten times as long.
  // `place`: the number of the record among those of its queue, for the order of callbacks.
  CudaPoint(std::shared_ptr<DeviceState> state, bool timed, const void* queue = nullptr, std::uint64_t place = 0);
  // Of a late record. It has no place among the others: it may be made after later ones.
  CudaPoint(std::shared_ptr<DeviceState> state, std::shared_ptr<const LateRecord> late);
  ~CudaPoint() override;
  CudaPoint(const CudaPoint&) = delete;
  CudaPoint& operator=(const CudaPoint&) = delete;

  bool done() const override;
  // Throws the failure of the commands before it.
  void wait() const;
  // Points exist before their record is in the stream: it may be held back (held_commands.hpp).
  bool submitted() const { return record_.load(std::memory_order_acquire) != Record::awaited; }
  // Makes it the point of another record, not yet in its stream. Nothing else may refer to it.
  void renew(const void* queue, std::uint64_t place);
  bool is_late() const { return late_ != nullptr; }
  void submit();                          // it is in the stream now
  void fail(std::exception_ptr failure);  // it will not be
  std::uint64_t completed_ns() const;
  driver::EventHandle handle() const {
    if (late_) late_->record();
    return event_;
  }

 private:
  enum class Record : int { awaited, submitted, failed };

  std::shared_ptr<DeviceState> state_;
  const std::shared_ptr<const LateRecord> late_;  // null: it has an event of its own
  bool timed_;
  driver::EventHandle event_;
  mutable std::atomic<bool> done_{false};
  std::atomic<Record> record_{Record::awaited};
  std::exception_ptr failure_;  // written before the record is `failed`
};

class CudaEvent final : public Event {
 public:
  CudaEvent(std::shared_ptr<DeviceState> state, bool timed) : state_(std::move(state)), timed_(timed) {}
  bool timed() const { return timed_; }
  bool done() const override;
  void wait() override;
  unsigned long long completed_ns() const override;
  std::shared_ptr<const EventPoint> point() const override { return current(); }

  const DeviceState* state() const { return state_.get(); }
  std::shared_ptr<CudaPoint> current() const;
  void set(std::shared_ptr<CudaPoint> point);
  // The point for a record in the queue: the one of the last record again, where nothing refers to that any more.
  std::shared_ptr<CudaPoint> next(const void* queue, std::uint64_t place);

 private:
  std::shared_ptr<DeviceState> state_;
  bool timed_;
  mutable base::Mutex mutex_;
  std::shared_ptr<CudaPoint> point_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
