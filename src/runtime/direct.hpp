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
  EventState(std::shared_ptr<Core> core, std::unique_ptr<device::Event> event)
      : core_(std::move(core)), event_(std::move(event)) {}
  device::Event& event() const { return *event_; }
  // For the trace: the tasks that its last record comes behind.
  void set_behind(std::vector<std::uint64_t> tasks) {
    const std::lock_guard lock(mutex_);
    behind_ = std::move(tasks);
  }
  std::vector<std::uint64_t> behind() {
    const std::lock_guard lock(mutex_);
    return behind_;
  }

 private:
  std::shared_ptr<Core> core_;
  std::unique_ptr<device::Event> event_;
  std::mutex mutex_;
  std::vector<std::uint64_t> behind_;
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
  std::size_t place() const { return place_; }
  const std::shared_ptr<base::Watcher>& watcher() const { return core_->watcher(); }
  // The span as devices see it. Throws invalid_argument when there is no such device.
  device::Span span(const MemorySpan& span) const;
  device::BoxPlace box(const MemoryBox& box) const;
  void launch(const LoadedKernelState& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
              const BlockRange* range);
  // Puts a command into the queue, one thread at a time.
  template <class Put>
  void put(Put&& put) {
    const std::lock_guard lock(mutex_);
    const Traced traced(*this);
    put(*queue_);
  }
  void record(EventState& event);
  void wait(EventState& event);
  void wait(const device::Event& event);
  void synchronize();

 private:
  // What is put in while it lives is a task of the trace, behind the queue's last one and those of the events that the
  // queue waits for. Nothing without a trace.
  class Traced {
   public:
    explicit Traced(QueueState& queue) : queue_(queue) {
      if (queue.core_->trace()) queue.begin_task();
    }
    ~Traced() {
      if (queue_.core_->trace()) queue_.core_->trace()->end_task();
    }
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

   private:
    QueueState& queue_;
  };
  void begin_task();
  std::vector<std::uint64_t> behind() const;
  device::Device* device_of(int number) const;

  std::shared_ptr<Core> core_;
  std::size_t place_;
  std::mutex mutex_;
  std::unique_ptr<device::Queue> queue_;
  std::vector<std::unique_ptr<device::Event>> spare_;  // for synchronize()
  // Numbers in the trace: of the last task, and of those that the next one waits for besides.
  std::uint64_t last_task_ = 0;
  std::vector<std::uint64_t> awaited_;
};

}  // namespace heddle::runtime
