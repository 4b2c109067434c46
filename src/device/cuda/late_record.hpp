// One event of the driver for the ends of several commands in a row, recorded when something asks for one of them.
#pragma once

#include <atomic>
#include <memory>

#include "base/thread_safety.hpp"
#include "device/cuda/state.hpp"

namespace heddle::device::cuda {

// It stands behind all commands whose ends it is, and so may be reached later than some of them. Any thread, unless
// noted.
class LateRecord {
 public:
  // Of the command that was put into the stream last. Needs the GPU's context.
  LateRecord(std::shared_ptr<DeviceState> state, driver::Stream stream);
  ~LateRecord();
  LateRecord(const LateRecord&) = delete;
  LateRecord& operator=(const LateRecord&) = delete;

  // Makes it the end of the command that was put into the stream now, too. False: it is recorded, or of another stream.
  // The last one of `most` records it. For the thread that puts in commands, with the GPU's context.
  bool join(driver::Stream stream);
  // Records it, if it is not yet.
  void record() const;
  // The stream ends, with all commands done: there is nothing to record.
  void end();
  driver::EventHandle handle() const { return event_; }
  driver::Result result() const;  // of its record

 private:
  static constexpr unsigned most = 8;
  void record_in_stream() const HEDDLE_REQUIRES(mutex_);

  const std::shared_ptr<DeviceState> state_;
  const driver::Stream stream_;
  const driver::EventHandle event_;
  unsigned members_ = 1;
  mutable std::atomic<bool> recorded_{false};
  mutable base::Mutex mutex_;
  mutable driver::Result result_ HEDDLE_GUARDED_BY(mutex_) = driver::success;
};

}  // namespace heddle::device::cuda
