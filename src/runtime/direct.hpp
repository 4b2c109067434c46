// The explicit level: what stands behind heddle::Queue, Event, Memory and LoadedKernel.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "device/polled_point.hpp"
#include "heddle/device.hpp"
#include "runtime/core.hpp"
#include "runtime/kernel_state.hpp"
#include "runtime/queue_work.hpp"
#include "runtime/shared_queue.hpp"

namespace heddle::runtime {

class MemoryState {
 public:
  MemoryState(std::shared_ptr<Core> core, int device, std::unique_ptr<device::Memory> memory)
      : core_(std::move(core)), device_(device), memory_(std::move(memory)) {}
  MemorySpan span() const {
    const device::Span span = memory_->span();
    return {span.device ? device_ : MemorySpan::host, span.address, span.size};
  }
  void* host() const { return memory_->host(); }

 private:
  std::shared_ptr<Core> core_;  // the device must be there when the memory goes
  int device_;
  std::unique_ptr<device::Memory> memory_;
};

class LoadedKernelState {
 public:
  LoadedKernelState(Kernel kernel, std::size_t place, device::Function& function);
  const Kernel& kernel() const { return kernel_; }
  std::size_t place() const { return place_; }
  device::Function& function() const { return function_; }
  const std::vector<ParameterPlace>& parameters() const { return parameters_; }
  // Into parts of how many blocks a launch of so many is to be cut; 0: not, where they are no more than the runtime's
  // slice or not independent, which is found out when it is first asked for. Any thread.
  std::uint64_t slice(std::uint64_t blocks) const {
    return blocks > slice_ && slice_ != 0 && can_be_cut() ? slice_ : 0;
  }
  // The device has no code for parts: launches stay whole.
  void keep_whole(const Error& reason) const;

 private:
  bool can_be_cut() const;

  Kernel kernel_;
  std::size_t place_;
  device::Function& function_;  // of the module that the kernel keeps
  std::vector<ParameterPlace> parameters_;
  std::uint64_t slice_;  // of the runtime; 0: none
  enum class Cut : std::uint8_t { not_known, possible, impossible };
  mutable std::atomic<Cut> cut_{Cut::not_known};
};

class EventState {
 public:
  EventState(std::shared_ptr<Core> core, std::size_t place, bool timed);
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  // What its last record has recorded. Managed mode: each record has an event of its own, so that a wait which is held
  // waits for the record that it was made for.
  std::shared_ptr<EventRecord> record() const {
    const std::lock_guard lock(mutex_);
    return record_;
  }
  // The same in direct mode, where it is always the same.
  EventRecord& only_record() const { return *record_; }
  // A record that is about to be made. Needs the core's lock.
  std::shared_ptr<EventRecord> renew();
  // The held task that makes the last record; null: it is made.
  void set_task(std::shared_ptr<sched::HeldTask> task) {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
  }
  std::shared_ptr<sched::HeldTask> task() const {
    const std::lock_guard lock(mutex_);
    return task_;
  }

  bool done() const;
  void wait();
  std::uint64_t completed_ns() const { return record()->event->completed_ns(); }

 private:
  const std::shared_ptr<Core> core_;
  const std::size_t place_;
  const bool timed_;
  mutable std::mutex mutex_;
  std::shared_ptr<EventRecord> record_;
  std::shared_ptr<sched::HeldTask> task_;
};

// What is reached when a function of the host says so. For queues an event of another device, which they only ask.
class AskedEvent final : public device::Event {
 public:
  AskedEvent(std::shared_ptr<base::Watcher> watcher, std::function<bool()> ready)
      : point_(std::make_shared<Point>(std::move(watcher), std::move(ready))) {}
  bool done() const override { return point_->done(); }
  void wait() override { base::fail(ErrorCode::internal, "what is asked for is waited for by queues only"); }
  unsigned long long completed_ns() const override { return 0; }
  std::shared_ptr<const device::EventPoint> point() const override { return point_; }

 private:
  class Point final : public device::PolledPoint {
   public:
    Point(std::shared_ptr<base::Watcher> watcher, std::function<bool()> ready)
        : PolledPoint(std::move(watcher), nullptr), ready_(std::move(ready)) {}
    // Stays reached when the function says something else later.
    bool done() const override {
      if (!reached_.load(std::memory_order_acquire) && ready_()) reached_.store(true, std::memory_order_release);
      return reached_.load(std::memory_order_acquire);
    }

   private:
    std::function<bool()> ready_;
    mutable std::atomic<bool> reached_{false};
  };
  std::shared_ptr<const Point> point_;
};

class QueueState {
 public:
  QueueState(std::shared_ptr<Core> core, std::size_t place, const QueueOptions& options);
  ~QueueState();
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;

  std::size_t place() const { return queue_.place(); }
  const std::shared_ptr<base::Watcher>& watcher() const { return core_->watcher(); }
  // The span as devices see it. Throws invalid_argument when there is no such device.
  device::Span span(const MemorySpan& span) const;
  device::BoxPlace box(const MemoryBox& box) const;
  void launch(const LoadedKernelState& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
              const BlockRange* range);
  // Has put(device::Queue&) called in the queue's order: now, or where the policy holds what comes before, later.
  template <class Put>
  void put(Put put) {
    if (launch_queue_ == nullptr) return queue_.put(put);
    base::Lock lock(core_->mutex());
    hold_command(lock, [this, put = std::move(put)] { queue_.put(put); });
  }
  void record(EventState& event);
  void wait(EventState& event);
  void wait(std::shared_ptr<const device::Event> event);
  void synchronize();

 private:
  device::Device* device_of(int number) const;
  void launch_now(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                  std::span<const std::byte> arguments, bool whole);
  void hold_launch(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                   std::span<const std::byte> arguments);
  std::shared_ptr<sched::HeldTask> hold_command(base::Lock& lock, std::function<void()> put,
                                                std::shared_ptr<sched::HeldTask> also_after = nullptr);
  std::shared_ptr<sched::HeldTask> hold(std::unique_ptr<sched::Work> work, std::shared_ptr<sched::HeldTask> also_after);

  const std::shared_ptr<Core> core_;
  const device::Partition* const partition_;  // its own; null: the whole device
  SharedQueue queue_;
  // Managed mode; the rest needs the core's lock.
  sched::LaunchQueue* launch_queue_ = nullptr;
  std::shared_ptr<sched::HeldTask> last_;
  HeldFailure failure_;
};

}  // namespace heddle::runtime
