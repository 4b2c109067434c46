#include "sched/scheduler.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::sched {
namespace {

bool contains(std::span<const graph::TaskRef> tasks, graph::TaskId id) {
  return std::any_of(tasks.begin(), tasks.end(), [id](graph::TaskRef task) { return task.id == id; });
}

}  // namespace

Scheduler::Scheduler(const std::vector<device::Device*>& devices, const Scheduling& policy, base::Mutex& mutex,
                     trace::Recorder* trace)
    : mutex_(mutex), trace_(trace), policy_(policy), alone_(devices.size() == 1) {
  for (device::Device* device : devices) devices_.emplace_back(*device, policy);
}

graph::ObjectId Scheduler::add_object(std::uint64_t size, std::uint64_t array) {
  const graph::ObjectId object = dag_.add_object(size);
  if (trace_) trace_->name_object(object, array);
  return object;
}

graph::ObjectId Scheduler::add_object(std::uint64_t size, const std::string& name) {
  const graph::ObjectId object = dag_.add_object(size);
  if (trace_) trace_->name_object(object, name);
  return object;
}

// It and enter() are inlined by force: each launch calls them, and nothing else does.
[[gnu::always_inline]] inline graph::TaskRef Scheduler::append(std::span<const graph::Access> accesses, bool barrier) {
  graph::TaskRef task;
  if (barrier) [[unlikely]] {
    const graph::TaskRefs all = tracker_.last_tasks();
    task = dag_.append(accesses, {all.data(), all.size()});
  } else {
    task = dag_.append(accesses);
  }
  if (barrier_.id != 0) [[unlikely]] {
    if (dag_.finished(barrier_))
      barrier_ = {};
    else
      dag_.order_after(task, barrier_);
  }
  if (barrier) barrier_ = task;
  tracker_.append(task);
  return task;
}

void Scheduler::wait_for_others(std::size_t place, device::Queue& queue, graph::TaskRef task,
                                const Submission& submission) {
  for (const graph::TaskRef& other : submission.also_after)
    if (!dag_.finished(other) && dag_[other].queue != dag_[task].queue) wait_for(queue, other);
  if (submission.early_parents.empty()) [[likely]] {
    for (const graph::TaskRef& parent : dag_[task].parents)
      if (dag_[parent].place != place) wait_for(queue, parent);
    return;
  }
  for (const graph::TaskRef& parent : dag_[task].parents) {
    const Tracker::Running& running = tracker_[parent];
    if (contains(submission.early_parents, parent.id)) {
      queue.wait(*running.extras->milestone);
      ends_after_.push_back(running.end);
    } else if (dag_[parent].place != place) {
      wait_for(queue, parent);
    }
  }
}

// The queue's later commands run after the task.
inline void Scheduler::wait_for(device::Queue& queue, graph::TaskRef task) {
  const Tracker::Running& running = tracker_[task];
  const auto& tasks = devices_[dag_[task].place][dag_[task].queue].tasks;
  if (running.kernel != 0 && !tasks.empty() && tasks.back().id != task.id) late_ends_.needed(running.kernel);
  queue.wait(*running.end);
}

// Before the task is in the DAG: a task there that cannot be submitted ends, and what it comes after ends with it.
void Scheduler::refuse_open(std::span<const graph::Access> accesses) const {
  for (const graph::Access& access : accesses) {
    if (access.begin >= access.end) continue;
    const graph::TaskRefs before = dag_.hazards(access);
    for (const graph::TaskId open : open_)
      if (contains({before.data(), before.size()}, open))
        base::fail(ErrorCode::internal, "a task comes after task {}, whose commands are not all submitted", open);
  }
}

void Scheduler::add_extras(DeviceQueues& device, device::Queue& queue, graph::TaskRef task,
                           const Submission& submission) {
  if (submission.on_finished) tracker_[task].with_extras().on_finished.push_back(submission.on_finished);
  if (submission.keep) tracker_[task].with_extras().keep.push_back(submission.keep);
  if (submission.milestone == nullptr) return;
  (*submission.milestone)(queue);
  std::shared_ptr<device::Event>& milestone = tracker_[task].with_extras().milestone;
  milestone = device.take_event(false);
  queue.record(*milestone);
}

// A queue for the task, after its parents.
[[gnu::always_inline]] inline void Scheduler::enter(std::size_t place, graph::TaskRef task,
                                                    std::span<const graph::Access> accesses,
                                                    const Submission& submission) {
  DeviceQueues& device = devices_[place];
  dag_[task].place = static_cast<std::uint32_t>(place);
  const auto is_here = [place](const graph::Task& other) { return other.place == place; };
  const auto orders = [&](const graph::Task& other) {
    return is_here(other) && !contains(submission.early_parents, other.id);
  };
  const graph::QueueNeeds needs{.own = submission.hook ? submission.hook->parents_known(task) : submission.dedicated,
                                .brief = submission.brief};
  const auto always = [](const graph::Task&) { return true; };
  const bool early = !submission.early_parents.empty();
  const graph::QueueChoice choice = early    ? device.choose(dag_, task, orders, needs)
                                    : alone_ ? device.choose(dag_, task, always, needs)
                                             : device.choose(dag_, task, is_here, needs);
  DeviceQueue& chosen = device[choice.queue];
  device::Queue& queue = *chosen.queue;
  ends_after_.clear();
  for (const graph::TaskRef& parent : choice.awaited) wait_for(queue, parent);
  if (!alone_ || !submission.early_parents.empty() || !submission.also_after.empty())
    wait_for_others(place, queue, task, submission);
  if (submission.hook)
    submission.hook->queue_known(task, chosen.tasks.empty() ? graph::TaskRef() : chosen.tasks.back());
  set_partition(chosen, submission.partition);
  Tracker::Running& running = tracker_[task];
  running.end = device.take_event(submission.timed);
  if (submission.timed) {
    running.start = device.take_event(true);
    queue.record(*running.start);
  }
  running.kernel = 0;
  queue_ = &chosen;
  late_ = submission.late;
  if (submission.on_finished || submission.keep || submission.milestone != nullptr) [[unlikely]]
    add_extras(device, queue, task, submission);
  if (trace_) trace(task, accesses, choice.awaited);
}

graph::TaskRef Scheduler::begin(std::size_t place, std::span<const graph::Access> accesses,
                                const Submission& submission) {
  if (!open_.empty()) [[unlikely]]
    refuse_open(accesses);
  const graph::TaskRef task = append(accesses, submission.barrier);
  try {
    enter(place, task, accesses, submission);
  } catch (...) {
    tracker_.give_up(task);
    throw;
  }
  return task;
}

void Scheduler::set_partition(DeviceQueue& queue, const device::Partition* partition) {
  if (queue.partition == partition) return;
  queue.queue->set_partition(partition);
  queue.partition = partition;
}

Scheduler::OpenTask Scheduler::open(std::size_t place, std::span<const graph::Access> accesses,
                                    const Submission& submission) {
  OpenTask open{};
  devices_[place].device().commands([&] { open.task = begin(place, accesses, submission); });
  open.queue = queue_;
  open.ends_after.swap(ends_after_);
  open_.push_back(open.task.id);
  if (trace_) open.traced = trace_->pause_task();
  return open;
}

void Scheduler::close(OpenTask open) {
  open_.erase(std::find(open_.begin(), open_.end(), open.task.id));
  queue_ = open.queue;
  ends_after_.swap(open.ends_after);
  if (trace_) trace_->resume_task(open.traced);
  devices_[dag_[open.task].place].device().commands([&] { end(open.task); });
}

void Scheduler::trace(graph::TaskRef ref, std::span<const graph::Access> accesses, const graph::TaskRefs& awaited) {
  const graph::Task& task = dag_[ref];
  const auto number = [&](graph::TaskRef parent) { return tracker_[parent].with_extras().traced; };
  trace::RecordedTask recorded;
  for (const graph::TaskRef& parent : task.parents) {
    recorded.behind.push_back(number(parent));
    if (dag_[parent].place != task.place) recorded.waits.push_back(number(parent));
  }
  for (const graph::TaskRef& parent : awaited) recorded.waits.push_back(number(parent));
  for (const graph::Access& access : accesses)
    recorded.uses.push_back({access.object, graph::modifies(access.mode), access.begin, access.end});
  tracker_[ref].with_extras().traced = trace_->begin_task(std::move(recorded));
}

void Scheduler::end(graph::TaskRef task) {
  if (trace_) trace_->end_task();
  try {
    for (const auto& event : ends_after_) queue_->queue->wait(*event);
    ends_after_.clear();
    if (std::exchange(late_, false))
      queue_->queue->record_late(*tracker_[task].end);
    else
      queue_->queue->record(*tracker_[task].end);
  } catch (...) {
    tracker_.give_up(task);
    throw;
  }
  tracker_.submitted(task, *queue_);
}

void Scheduler::wait(const InFlight& work) {
  std::exception_ptr failure;
  try {
    work.end->wait();
  } catch (const Error&) {
    failure = std::current_exception();
  }
  {
    const base::Lock lock(mutex_);
    if (!dag_.finished(work.task)) {
      if (failure) tracker_.clear_failure(work.task);
      const std::exception_ptr other = tracker_.finish(work.task, failure);
      if (!failure) failure = other;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void Scheduler::wait(graph::TaskRef task) {
  std::exception_ptr failure;
  std::vector<InFlight> all;
  {
    const base::Lock lock(mutex_);
    if (dag_.finished(task))
      failure = tracker_.failure_of(task.id);
    else
      all = tracker_.in_flight({task});
  }
  wait_for_all(all, std::move(failure));
}

void Scheduler::wait_for_all(const std::vector<InFlight>& all, std::exception_ptr first) {
  for (const InFlight& work : all) {
    try {
      wait(work);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Scheduler::wait(const graph::TaskRefs& tasks) {
  std::vector<InFlight> all;
  {
    const base::Lock lock(mutex_);
    all = tracker_.in_flight(tasks);
  }
  wait_for_all(all, nullptr);
}

void Scheduler::synchronize() {
  std::exception_ptr first;
  std::vector<InFlight> all;
  {
    const base::Lock lock(mutex_);
    first = tracker_.take_unseen_failure();
    all = tracker_.in_flight(tracker_.last_tasks());
  }
  wait_for_all(all, first);
}

void Scheduler::drain(const std::vector<InFlight>& all) {
  for (const InFlight& work : all) {
    try {
      work.end->wait();
    } catch (const Error& error) {
      base::log_debug("the queue holds this for those that ask: {}", error.what());
    }
  }
}

void Scheduler::drain(const graph::TaskRefs& tasks) {
  std::vector<InFlight> all;
  {
    const base::Lock lock(mutex_);
    all = tracker_.in_flight(tasks);
  }
  drain(all);
}

void Scheduler::drain() {
  std::vector<InFlight> all;
  {
    const base::Lock lock(mutex_);
    all = tracker_.in_flight(tracker_.last_tasks());
  }
  drain(all);
}

}  // namespace heddle::sched
