// What a policy is shown of the tasks that are ready.
#include "sched/dispatcher.hpp"

namespace heddle::sched {

void Dispatcher::find_ready() {
  ready_.clear();
  shows_all_ready_ = true;
  for (auto at = ready_governed_.begin(); at != ready_governed_.end() && ready_.size() < most_shown;) {
    HeldTask& task = *(at++)->second;
    if (task.queue->suspended && !task.required) continue;
    if (!task.waits_for_memory && task.work->is_ready()) {
      ready_.push_back(&task);
      continue;
    }
    shows_all_ready_ = false;
    if (!task.waits_for_memory && !making_ready_) make_ready(task);
  }
}

// Most tasks were shown the last time. Of them, only what may have changed is set again. Tasks are shown in the order
// of their numbers; where one comes between those of the last time, the rest is made anew.
void Dispatcher::show_tasks() {
  queue_views_.resize(ready_.size());
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const LaunchQueue& queue = *ready_[i]->queue;
    queue_views_[i] = {queue.id, queue.name, queue.priority, queue.suspended, queue.tenant};
  }
  std::size_t number = 0, before = 0;
  for (; number < ready_.size(); ++number) {
    const std::uint64_t id = ready_[number]->id;
    while (before < views_.size() && views_[before].id < id) ++before;
    if (before == views_.size() || views_[before].id != id) break;
    if (before != number) views_[number] = views_[before];
    ++before;
  }
  views_.resize(number);
  for (; number < ready_.size(); ++number) {
    const HeldTask& task = *ready_[number];
    Work& work = *task.work;
    views_.push_back({.id = task.id,
                      .name = work.name(),
                      .place = work.place(),
                      .blocks = work.blocks().size(),
                      .divisible = work.divisible(),
                      .traits = work.traits(),
                      .corun = work.corun(),
                      .ordinal = task.ordinal,
                      .held_ns = task.held_ns});
  }
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const HeldTask& task = *ready_[i];
    TaskView& shown = views_[i];
    shown.queue = &queue_views_[i];
    shown.left = task.left;
    shown.required = task.required;
    shown.seconds_per_block = task.work->seconds_per_block();
  }
}

View Dispatcher::view() {
  show_tasks();
  View made{watcher_->clock().now_ns(), views_, devices_, tenant_views_, tenants_version_};
  if (policy_->sees_ranges()) log_.show(made);
  return made;
}

}  // namespace heddle::sched
