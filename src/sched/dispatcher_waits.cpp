// Threads that wait for tasks of the dispatcher: what they wait for is required.
#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "sched/dispatcher.hpp"

namespace heddle::sched {

void Dispatcher::wait_until_submitted(std::span<const std::shared_ptr<HeldTask>> tasks, base::Lock& lock) {
  for (const auto& task : tasks) require(*task);
  dispatch();
  // The last one first: there may be tens of thousands, and most often it is the last to be submitted.
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) wait_until_submitted(**task, lock);
}

void Dispatcher::wait_until_submitted(HeldTask& task, base::Lock& lock) {
  while (task.state < TaskState::submitted) {
    task.awaited = true;
    lock.wait(changed_);
  }
}

// Others may go on to hold tasks of the queue meanwhile.
void Dispatcher::wait_until_half_is_submitted(LaunchQueue& queue, base::Lock& lock) {
  while (queue.tasks >= most_held) {
    std::shared_ptr<HeldTask> last;
    std::uint64_t counted = 0;
    for (const auto& task : tasks_) {
      if (task->queue != &queue) continue;
      require(*task);
      last = task;
      if (++counted == most_held / 2) break;
    }
    dispatch();
    last->awaited = true;
    while (queue.tasks > most_held / 2 && last->state < TaskState::submitted) lock.wait(changed_);
  }
}

void Dispatcher::wait_until_all_submitted(base::Lock& lock) {
  const std::uint64_t last = made_;
  for (const auto& task : tasks_) task->required = true;
  dispatch();
  while (!tasks_.empty() && tasks_.front()->id <= last) {
    const auto is_one = [last](const auto& task) { return task->id <= last; };
    const std::shared_ptr<HeldTask> newest = *std::find_if(tasks_.rbegin(), tasks_.rend(), is_one);
    wait_until_submitted(*newest, lock);
  }
}

bool Dispatcher::finish_divided(base::Lock& lock) {
  for (const auto& task : tasks_) {
    if (task->left.begin == task->work->blocks().begin) continue;
    const std::shared_ptr<HeldTask> divided = task;
    wait_until_submitted({&divided, 1}, lock);
    return true;
  }
  return false;
}

// Not for what other threads go on to launch meanwhile.
void Dispatcher::wait_until_all_done(base::Lock& lock) {
  const std::uint64_t last = made_;
  wait_until_all_submitted(lock);
  ++waiting_for_ends_;
  changed_.wait(lock.native(), [this, last] {
    return std::none_of(in_flight_.begin(), in_flight_.end(),
                        [last](const InFlight& range) { return range.task->id <= last; });
  });
  --waiting_for_ends_;
  wait_for_unreported(lock);
}

void Dispatcher::wait_until_idle(const Tenant& tenant, base::Lock& lock) {
  for (const auto& task : tasks_)
    if (task->queue->tenant == &tenant) require(*task);
  dispatch();
  ++waiting_for_ends_;
  changed_.wait(lock.native(), [&] { return !tenant.awake(); });
  --waiting_for_ends_;
}

void Dispatcher::wait_for_unreported(base::Lock& lock) {
  while (!unreported_.empty()) {
    const auto [task, end] = std::pair(unreported_.front().task, unreported_.front().end);
    unreported_.pop_front();
    lock.unlock();
    try {
      end->wait();
    } catch (const std::exception& error) {
      base::log_debug("its queue holds this for those that ask: {}", error.what());
    }
    lock.lock();
  }
}

}  // namespace heddle::sched
