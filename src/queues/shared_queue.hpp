// A queue of a device that any thread may put commands into, at the explicit level, and its tasks in the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "runtime/core.hpp"

namespace heddle::queues {

// A record of an event: the event that was recorded, and for the trace the tasks before it in its queue.
class EventRecord {
 public:
  explicit EventRecord(std::unique_ptr<device::Event> made) : event(std::move(made)) {}
  const std::unique_ptr<device::Event> event;
  void set_after(std::vector<std::uint64_t> tasks) {
    const std::lock_guard lock(mutex_);
    after_ = std::move(tasks);
  }
  std::vector<std::uint64_t> after() const {
    const std::lock_guard lock(mutex_);
    return after_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> after_;
};

// Any thread. Its lock may be taken under the core's lock, not the other way round.
class SharedQueue {
 public:
  SharedQueue(runtime::Core& core, std::size_t place, const device::QueueOptions& options);
  SharedQueue(const SharedQueue&) = delete;
  SharedQueue& operator=(const SharedQueue&) = delete;

  runtime::Core& core() const { return core_; }
  std::size_t place() const { return place_; }
  // Calls put(device::Queue&), whose commands are a task of the trace. Throws what it does.
  template <class Put>
  void put(Put&& put) {
    const std::lock_guard lock(mutex_);
    const Traced traced(*this);
    put(*queue_);
  }
  // The same for commands that run on this partition; null: on the whole device.
  template <class Put>
  void put_on(const device::Partition* partition, Put&& put) {
    const std::lock_guard lock(mutex_);
    const Traced traced(*this);
    if (partition != partition_) queue_->set_partition(partition);
    partition_ = partition;
    put(*queue_);
  }
  void record(EventRecord& record);
  void wait(const EventRecord& record);
  void wait(const device::Event& event);
  // Waits for all commands so far, while others may be put in. Throws the first failure, and clears it.
  void synchronize();

 private:
  // What is put in while it lives is a task of the trace, after the queue's last one and those of the events that the
  // queue waits for. Nothing without a trace.
  class Traced {
   public:
    explicit Traced(SharedQueue& queue) : trace_(queue.core_.trace()) {
      if (trace_) queue.begin_task();
    }
    ~Traced() {
      if (trace_) trace_->end_task();
    }
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

   private:
    trace::Recorder* const trace_;
  };
  void begin_task();
  std::vector<std::uint64_t> parents() const;

  runtime::Core& core_;
  const std::size_t place_;
  std::mutex mutex_;
  std::unique_ptr<device::Queue> queue_;
  const device::Partition* partition_;                       // that the queue is set to
  std::vector<std::unique_ptr<device::Event>> free_events_;  // for synchronize()
  // Numbers in the trace: of the last task, and of others that the next one waits for.
  std::uint64_t last_task_ = 0;
  std::vector<std::uint64_t> awaited_;
};

}  // namespace heddle::queues
