// The dispatcher's ranges in flight: what the policy is shown of them, and their ends.
#include <algorithm>
#include <utility>
#include <vector>

#include "sched/dispatcher.hpp"

namespace heddle::sched {

RangeLog::Entry* Dispatcher::log(const HeldTask& task, BlockRange blocks, const Decision& decision, bool timed,
                                 std::uint64_t now_ns) {
  if (!policy_->sees_ranges()) return nullptr;
  return log_.add({.task = task.id,
                   .queue = task.queue->id,
                   .tenant = task.queue->tenant,
                   .place = task.work->place(),
                   .blocks = blocks,
                   .of_blocks = task.work->blocks().size(),
                   .ordinal = task.ordinal,
                   .traits = task.work->traits(),
                   .corun = task.work->corun(),
                   .priority = decision.priority,
                   .held_ns = task.held_ns,
                   .submitted_ns = now_ns,
                   .last = task.left.begin == task.left.end,
                   .predicted_seconds = decision.predicted_seconds,
                   .timed = timed},
                  decision.processors);
}

void Dispatcher::range_done(std::list<InFlight>::iterator at) {
  InFlight& range = *at;
  const std::uint64_t completed = range.end->completed_ns();
  const std::uint64_t now_ns = watcher_->clock().now_ns();
  std::uint64_t end_ns = completed != 0 ? completed : now_ns;
  if (completed != 0 && clocks_[range.place]) end_ns = clocks_[range.place]->host_ns(completed, now_ns);
  if (end_untimed(*range.task->queue, at, end_ns)) {
    if (range.entry) range.entry->view.timed = false;
  } else {
    const std::uint64_t start_ns = std::max(last_end_ns_[range.place], range.submitted_ns);
    if (end_ns > start_ns) range.task->work->measured(range.blocks, static_cast<double>(end_ns - start_ns) * 1e-9);
  }
  last_end_ns_[range.place] = std::max(last_end_ns_[range.place], end_ns);
  range.task->work->give_event(std::move(range.end));
  ended(at, end_ns);
}

// Ends what was submitted before a range of the same queue that has ended, and has no event. The times between are
// those that were predicted. Returns whether there was any.
bool Dispatcher::end_untimed(const LaunchQueue& queue, std::list<InFlight>::iterator before, std::uint64_t end_ns) {
  const auto nanoseconds = [](const InFlight& range) {
    const double seconds = range.entry ? range.entry->view.predicted_seconds : range.predicted;
    return static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9);
  };
  std::uint64_t after = before == in_flight_.end() ? 0 : nanoseconds(*before);
  std::vector<std::pair<std::list<InFlight>::iterator, std::uint64_t>> found;
  for (auto at = before; at != in_flight_.begin();) {
    --at;
    if (at->task->queue != &queue || at->end) continue;
    found.emplace_back(at, end_ns > after ? end_ns - after : 0);
    after += nanoseconds(*at);
  }
  for (auto each = found.rbegin(); each != found.rend(); ++each) ended(each->first, each->second);
  return !found.empty();
}

void Dispatcher::ended(std::list<InFlight>::iterator at, std::uint64_t end_ns) {
  InFlight& range = *at;
  HeldTask& task = *range.task;
  DeviceView& device = devices_[range.place];
  --device.ranges;
  if (range.predicted < 0)
    --device.unknown_ranges;
  else
    device.predicted_seconds = device.ranges == 0 ? 0 : device.predicted_seconds - range.predicted;
  if (range.tenant) --range.tenant->in_flight;
  if (range.entry) policy_->ended(log_.ended(*range.entry, end_ns));
  if (--task.ranges == 0 && task.state == TaskState::submitted) task.state = TaskState::done;
  again_ = true;
  in_flight_.erase(at);
  if (waiting_for_ends_ > 0) changed_.notify_all();
}

}  // namespace heddle::sched
