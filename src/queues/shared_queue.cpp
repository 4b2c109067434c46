#include "queues/shared_queue.hpp"

#include <algorithm>
#include <utility>

#include "heddle/error.hpp"

namespace heddle::queues {

SharedQueue::SharedQueue(core::Core& core, std::size_t place, const device::QueueOptions& options)
    : core_(core),
      place_(place),
      options_(options),
      has_priorities_(core.device(place).info().capability > 0 && !core.device(place).info().simulated) {
  const base::Lock lock(mutex_);
  lane_ = &lanes_.emplace(priority_, Lane{core.device(place).queue(options), options.partition}).first->second;
  queue_ = lane_->queue.get();
}

// A failure of the lane before stays there: GPUs, which alone have priorities, are lost then.
void SharedQueue::change_priority(int priority) {
  device::Device& device = core_.device(place_);
  auto found = lanes_.find(priority);
  if (found == lanes_.end()) {
    device::QueueOptions options = options_;
    options.priority += priority;
    found = lanes_.emplace(priority, Lane{device.queue(options), options.partition}).first;
  }
  const auto end = device.untimed_event();
  queue_->record(*end);
  found->second.queue->wait(*end);
  lane_ = &found->second;
  queue_ = lane_->queue.get();
  priority_ = priority;
}

void SharedQueue::begin_task() {
  trace::RecordedTask task;
  task.behind = parents();
  task.waits = std::exchange(awaited_, {});
  task.by_streams = true;
  last_task_ = core_.trace()->begin_task(std::move(task));
}

std::vector<std::uint64_t> SharedQueue::parents() const {
  std::vector<std::uint64_t> tasks = awaited_;
  if (last_task_ != 0) tasks.push_back(last_task_);
  return tasks;
}

void SharedQueue::record(EventRecord& record) {
  const base::Lock lock(mutex_);
  queue_->record(*record.event);
  if (core_.trace()) record.set_after(parents());
}

void SharedQueue::wait(const EventRecord& record) {
  const base::Lock lock(mutex_);
  queue_->wait(*record.event);
  if (!core_.trace()) return;
  for (const std::uint64_t task : record.after())
    if (task != last_task_ && std::find(awaited_.begin(), awaited_.end(), task) == awaited_.end())
      awaited_.push_back(task);
}

void SharedQueue::wait(const device::Event& event) {
  const base::Lock lock(mutex_);
  queue_->wait(event);
}

// Without the lock while it waits: others may put commands in meanwhile.
void SharedQueue::synchronize() {
  std::unique_ptr<device::Event> end;
  {
    const base::Lock lock(mutex_);
    if (queue_->idle()) return;
    if (free_events_.empty()) {
      end = core_.device(place_).untimed_event();
    } else {
      end = std::move(free_events_.back());
      free_events_.pop_back();
    }
    queue_->record(*end);
  }
  end->wait();  // where it throws, the event is not used again
  const base::Lock lock(mutex_);
  free_events_.push_back(std::move(end));
}

void SharedQueue::clear_failure() {
  const base::Lock lock(mutex_);
  try {
    queue_->synchronize();
  } catch (const Error&) {  // it is known
  }
}

}  // namespace heddle::queues
