// How what was decided is submitted, and what follows from it for the tasks that wait.
#include <algorithm>

#include "sched/dispatcher.hpp"

namespace heddle::sched {

// Whether another launch of its queue is held that runs after it.
static bool is_followed(const HeldTask& task) {
  return task.work->in_order() && !task.queue->suspended &&
         std::any_of(task.children.begin(), task.children.end(),
                     [&](const HeldTask* child) { return child->queue == task.queue && child->work->governed(); });
}

// The end of the first so many blocks, and of what completes their last cluster.
static std::uint64_t end_of_clusters(const BlockRange& range, std::uint64_t blocks, std::uint64_t multiple) {
  const std::uint64_t end = range.begin + blocks;
  return std::min(range.end, multiple > 1 ? (end + multiple - 1) / multiple * multiple : end);
}

bool Dispatcher::submit(HeldTask& task, const Decision& decision) {
  const std::vector<unsigned>& processors = decision.processors;
  const std::shared_ptr<HeldTask> keep = *task.place_in_list;
  Work& work = *task.work;
  BlockRange range = task.left;
  if (decision.blocks != 0 && decision.blocks < range.size() && work.divisible())
    range.end = end_of_clusters(range, decision.blocks, work.traits().block_multiple);
  const bool last = range.end == task.left.end;
  std::list<InFlight> tracked;
  std::shared_ptr<device::Event> end;  // of what holds up later work
  try {
    const device::Partition* const partition = processors.empty() ? nullptr : partition_(work.place(), processors);
    if (decision.priority != task.priority) work.set_priority(task.priority = decision.priority);
    if (work.governed())
      prepare(tracked, task, range, decision, decision.timed || !is_followed(task) ? work.take_event() : nullptr);
    if (tracked.empty() && work.holds_up()) end = work.take_event();
    work.submit(range, last, partition, tracked.empty() ? end.get() : tracked.front().end.get());
  } catch (...) {
    if (!tracked.empty() && tracked.front().entry) log_.remove(*tracked.front().entry);
    failed(task, std::current_exception());
    return true;
  }
  task.left.begin = range.end;
  if (!tracked.empty()) track(task, tracked);
  if (end != nullptr && submitted_later(task, end)) return true;
  if (last) submitted(task);
  return last;
}

void Dispatcher::failed(HeldTask& task, const std::exception_ptr& failure) {
  end_untimed(*task.queue, in_flight_.end(), watcher_->clock().now_ns());  // no later range will
  task.failure = failure;
  if (!failure_) failure_ = failure;
  task.work->failed(failure);
  submitted(task);
}

void Dispatcher::submitted(HeldTask& task) {
  const std::shared_ptr<HeldTask> keep = *task.place_in_list;
  const LaunchQueue& queue = *task.queue;
  if (task.state == TaskState::ready) (task.work->governed() ? ready_governed_ : ready_others_).erase(task.id);
  task.state = task.ranges == 0 ? TaskState::done : TaskState::submitted;
  for (HeldTask* const child : task.children) {
    auto& parents = child->parents;
    parents.erase(std::remove(parents.begin(), parents.end(), &task), parents.end());
    if (parents.empty() && child->state == TaskState::held) set_ready(*child);
  }
  task.children.clear();
  remove(task);
  again_ = true;
  // Not for each task, of which there may be a million in a second: see wait_until_half_is_submitted().
  if (task.awaited || waiting_for_ends_ > 0 || queue.tasks == most_held / 2) changed_.notify_all();
}

}  // namespace heddle::sched
