#include "sched/tracker.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::sched {
namespace {

// A failure is being reported; later commands of its queue must not be skipped for it.
void clear(device::Queue& queue) {
  try {
    queue.synchronize();
  } catch (const Error& error) {
    base::log_debug("the failure that is being reported: {}", error.what());
  }
}

// Of an event that is done.
std::exception_ptr failure_at(device::Event& end) {
  try {
    end.wait();
  } catch (const Error&) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void Tracker::make_room(std::uint32_t slots) {
  running_.resize(slots);
  room_ = slots;
}

void Tracker::remember(graph::TaskId task, std::exception_ptr failure) {
  if (failed_.size() == most_failures) {
    failures_.erase(failed_.front());
    failed_.pop_front();
  }
  if (failures_.emplace(task, std::move(failure)).second) failed_.push_back(task);
}

std::exception_ptr Tracker::failure_of(graph::TaskId task) const {
  const auto found = failures_.find(task);
  return found == failures_.end() ? nullptr : found->second;
}

void Tracker::clear_failure(graph::TaskRef ref) {
  const graph::Task& task = dag_[ref];
  clear(*devices_[task.place][task.queue].queue);
}

// The task is done, and its events are there. Inlined by force: each launch ends here.
[[gnu::always_inline]] inline void Tracker::forget(DeviceQueues& device, graph::TaskRef ref,
                                                   std::exception_ptr& failure) {
  Running& running = running_[ref.slot];
  if (running.extras) [[unlikely]] {
    for (const device::LaunchGraph::Tail& tail : running.extras->tails) {
      const std::exception_ptr failed = failure_at(*tail.end);
      if (!failed) continue;
      if (!failure) failure = failed;
      clear(*tail.queue);
    }
    for (const auto& finished : running.extras->on_finished) finished(running);
    device.give_event(running.extras->milestone, false);
    running.extras.reset();
  }
  device.give_event(running.end, running.start != nullptr);
  if (running.start) [[unlikely]]
    device.give_event(running.start, true);
}

std::exception_ptr Tracker::finish(graph::TaskRef ref, std::exception_ptr own_failure) {
  if (dag_.finished(ref)) return nullptr;
  const std::uint32_t place = dag_[ref].place, queue = dag_[ref].queue;
  std::exception_ptr first;
  dag_.finish(ref, [&](graph::TaskRef done, const graph::Task& task) {
    DeviceQueues& device = devices_[task.place];
    Running& running = running_[done.slot];
    const bool elsewhere = task.place != place || task.queue != queue;
    std::exception_ptr failure = done == ref ? own_failure : nullptr;
    // A task's event reports what failed before it in its queue, so of that queue nothing is asked where it reports
    // nothing.
    if (done != ref && running.end && (elsewhere ? device.device().info().survives_faults : own_failure != nullptr))
      failure = failure_at(*running.end);
    if (failure && elsewhere) clear(*device[task.queue].queue);
    forget(device, done, failure);
    device.finished(task);
    if (!failure) return;
    remember(done.id, failure);
    if (!first) first = failure;
  });
  return first;
}

void Tracker::give_up(graph::TaskRef task) {
  for (const graph::TaskRef& parent : dag_[task].parents) {
    const auto& end = running_[parent.slot].end;
    if (const std::exception_ptr failure = end ? failure_at(*end) : nullptr)
      base::log_debug("before a task that could not be put into a queue, something failed");
  }
  finish(task);
}

// Whether an ancestor of the first `known` tasks, which are done, has failed in another queue. What fails in this one
// is reported by its own events.
bool Tracker::failed_elsewhere(const DeviceQueue& queue, std::size_t known) const {
  const graph::Task& own = dag_[queue.tasks[known - 1]];
  std::vector<graph::TaskRef> open;
  std::unordered_set<std::uint32_t> seen;  // slots
  const auto add_parents = [&](const graph::Task& task) {
    for (const graph::TaskRef& parent : task.parents) {
      if (dag_.finished(parent)) continue;
      const graph::Task& other = dag_[parent];
      if (other.place == own.place && other.queue == own.queue) continue;
      if (seen.insert(parent.slot).second) open.push_back(parent);
    }
  };
  for (std::size_t i = 0; i < known; ++i)
    if (!dag_.finished(queue.tasks[i])) add_parents(dag_[queue.tasks[i]]);
  for (std::size_t next = 0; next < open.size(); ++next) {
    const graph::Task& task = dag_[open[next]];
    const auto& end = running_[open[next].slot].end;
    if (end && devices_[task.place].device().info().survives_faults && failure_at(*end)) return true;
    add_parents(task);
  }
  return false;
}

// The queue is in order: what is before a task that is done is done as well. One question for a half of them is enough
// to keep up with any number.
void Tracker::poll(DeviceQueue& queue) {
  queue.unpolled = 0;
  auto& tasks = queue.tasks;
  while (!tasks.empty() && dag_.finished(tasks.front())) tasks.pop_front();
  std::size_t known = tasks.size() / 2 + 1;
  while (known > 0 && (known > tasks.size() || dag_.finished(tasks[known - 1]))) --known;
  if (known == 0) return;
  device::Event& end = *running_[tasks[known - 1].slot].end;
  // A failure stays for those that wait for it.
  if (!end.done() || failure_at(end) || failed_elsewhere(queue, known)) return;
  for (std::size_t i = 0; i < known; ++i) {
    if (std::exception_ptr failure = finish(tasks[i])) {
      unseen_failure_ = std::move(failure);  // synchronize() reports it
      break;
    }
  }
  tasks.erase_begin(known);
}

std::vector<InFlight> Tracker::in_flight(const graph::TaskRefs& tasks) const {
  std::vector<InFlight> all;
  for (const graph::TaskRef& task : tasks)
    if (!dag_.finished(task)) all.push_back({task, running_[task.slot].end});
  return all;
}

bool Tracker::all_done(const graph::TaskRefs& tasks) const {
  return std::all_of(tasks.begin(), tasks.end(), [this](graph::TaskRef task) {
    return dag_.finished(task) || (running_[task.slot].end && running_[task.slot].end->done());
  });
}

graph::TaskRefs Tracker::last_tasks() const {
  graph::TaskRefs tasks;
  for (const DeviceQueues& device : devices_)
    for (const DeviceQueue& queue : device.all())
      if (!queue.tasks.empty()) tasks.push_back(queue.tasks.back());
  return tasks;
}

}  // namespace heddle::sched
