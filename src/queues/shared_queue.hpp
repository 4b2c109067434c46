// A device's queue at the explicit level, which any thread may use, and its tasks in the trace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "core/core.hpp"
#include "device/device.hpp"

namespace heddle::queues {

// A record of an event: the device event, and for the trace the tasks before it in its queue.
class EventRecord {
 public:
  explicit EventRecord(std::unique_ptr<device::Event> made) : event(std::move(made)) {}
  const std::unique_ptr<device::Event> event;
  void set_after(std::vector<std::uint64_t> tasks) {
    const base::Lock lock(mutex_);
    after_ = std::move(tasks);
  }
  std::vector<std::uint64_t> after() const {
    const base::Lock lock(mutex_);
    return after_;
  }

 private:
  mutable base::Mutex mutex_;
  std::vector<std::uint64_t> after_ HEDDLE_GUARDED_BY(mutex_);
};

// Any thread. Its lock may be taken under the core's lock, not the other way round.
class SharedQueue {
 public:
  SharedQueue(core::Core& core, std::size_t place, const device::QueueOptions& options);
  SharedQueue(const SharedQueue&) = delete;
  SharedQueue& operator=(const SharedQueue&) = delete;

  core::Core& core() const { return core_; }
  std::size_t place() const { return place_; }
  // Calls put(device::Queue&), whose commands are one task of the trace. Throws what `put` throws.
  template <class Put>
  void put(Put&& put) {
    const base::Lock lock(mutex_);
    const Traced traced(*this);
    put(*queue_);
  }
  // The same for commands that run on this partition; null: on the whole device. `priority`: added to that of the
  // queue's options, where the device has priorities.
  template <class Put>
  void put_on(const device::Partition* partition, int priority, Put&& put) {
    const base::Lock lock(mutex_);
    const Traced traced(*this);
    if (priority != priority_ && has_priorities_) change_priority(priority);
    if (partition != lane_->partition) queue_->set_partition(partition);
    lane_->partition = partition;
    put(*queue_);
  }
  void record(EventRecord& record);
  void wait(const EventRecord& record);
  void wait(const device::Event& event);
  // Waits for all commands so far. Other threads may put in commands meanwhile. Throws the first failure.
  void synchronize();
  void clear_failure();

 private:
  // During its lifetime, commands that are put in belong to one task of the trace. That task comes after the queue's
  // last task, and after those before the events for which the queue waits. Without a trace it does nothing.
  class Traced {
   public:
    explicit Traced(SharedQueue& queue) HEDDLE_REQUIRES(queue.mutex_) : trace_(queue.core_.trace()) {
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
  void begin_task() HEDDLE_REQUIRES(mutex_);
  void change_priority(int priority) HEDDLE_REQUIRES(mutex_);
  std::vector<std::uint64_t> parents() const HEDDLE_REQUIRES(mutex_);

  core::Core& core_;
  const std::size_t place_;
  const device::QueueOptions options_;
  const bool has_priorities_;
  base::Mutex mutex_;  // also for commands of the queues
  // A device's queue has one priority, so there is one for each that was asked for. Commands go into one of them at a
  // time, which comes after the one before.
  struct Lane {
    std::unique_ptr<device::Queue> queue;
    const device::Partition* partition = nullptr;  // that the queue is set to
  };
  std::map<int, Lane> lanes_ HEDDLE_GUARDED_BY(mutex_);
  Lane* lane_ HEDDLE_GUARDED_BY(mutex_) = nullptr;            // of these, the one that commands go into
  device::Queue* queue_ HEDDLE_GUARDED_BY(mutex_) = nullptr;  // its queue
  int priority_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<device::Event>> free_events_ HEDDLE_GUARDED_BY(mutex_);  // for synchronize()
  // Numbers in the trace: of the queue's last task, and of other tasks for which the next one waits.
  std::uint64_t last_task_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::vector<std::uint64_t> awaited_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::queues
