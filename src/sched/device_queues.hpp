// The queues of one device, the choice of a task's queue, and the events that are recorded in them.
#pragma once

#include <boost/circular_buffer.hpp>
#include <boost/container/stable_vector.hpp>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "device/device.hpp"
#include "graph/queue_chooser.hpp"
#include "graph/task.hpp"

namespace heddle::sched {

// A queue and the tasks that were submitted to it.
struct DeviceQueue {
  std::unique_ptr<device::Queue> queue;
  const device::Partition* partition = nullptr;      // of the last Queue::set_partition
  boost::circular_buffer<graph::TaskRef> tasks{64};  // in order; those that are known to be finished are removed
  unsigned unpolled = 0;                             // tasks submitted since the last poll

  void add(graph::TaskRef task) {
    if (tasks.full()) [[unlikely]]
      tasks.set_capacity(2 * tasks.capacity());
    tasks.push_back(task);
  }
};

// Needs the core's lock.
class DeviceQueues {
 public:
  // The device outlives it.
  DeviceQueues(device::Device& device, const Scheduling& policy) : device_(device), chooser_(policy) {}

  device::Device& device() const { return device_; }
  double launch_seconds() const { return launch_seconds_; }  // what a launch takes the host at least
  DeviceQueue& operator[](std::uint32_t number) { return queues_[number]; }
  boost::container::stable_vector<DeviceQueue>& all() { return queues_; }
  const boost::container::stable_vector<DeviceQueue>& all() const { return queues_; }

  // See graph::QueueChooser::choose. Creates the queue if it does not exist. Throws what Device::queue throws; the task
  // then still counts as one of that queue until finished().
  template <class Mine>
  graph::QueueChoice choose(graph::Dag& dag, graph::TaskRef task, Mine&& mine, const graph::QueueNeeds& needs) {
    graph::QueueChoice choice = chooser_.choose(dag, task, mine, needs);
    if (choice.is_new) queues_.emplace_back();
    DeviceQueue& queue = queues_[choice.queue];
    if (!queue.queue) [[unlikely]]
      queue.queue = device_.queue({});
    return choice;
  }
  void finished(const graph::Task& task) { chooser_.finished(task); }
  // Queues with tasks that are not known to be finished.
  std::uint32_t busy() const { return chooser_.busy(); }

  // Events are reused once they have no other references.
  std::shared_ptr<device::Event> take_event(bool timed) {
    auto& spare = free_events_[timed ? 1 : 0];
    if (spare.empty()) [[unlikely]]
      return timed ? device_.event() : device_.untimed_event();
    std::shared_ptr<device::Event> event = std::move(spare.back());
    spare.pop_back();
    return event;
  }
  // Without memory to keep it, the event ends.
  void give_event(std::shared_ptr<device::Event>& event, bool timed) noexcept {
    if (event && event.use_count() == 1) [[likely]] {
      try {
        free_events_[timed ? 1 : 0].push_back(std::move(event));
      } catch (const std::bad_alloc&) {
        event.reset();
      }
    } else {
      event.reset();
    }
  }

 private:
  device::Device& device_;
  const double launch_seconds_ = device_.info().launch_seconds;
  graph::QueueChooser chooser_;
  boost::container::stable_vector<DeviceQueue> queues_;         // by the chooser's number
  std::vector<std::shared_ptr<device::Event>> free_events_[2];  // done and without references; [0]: untimed, [1]: timed
};

}  // namespace heddle::sched
