// The dispatcher's ranges in flight: what the policy is shown of them, and their ends.
#include <algorithm>
#include <list>
#include <utility>

#include "base/log.hpp"
#include "sched/dispatcher.hpp"

namespace heddle::sched {

// A range that is about to be submitted: what its end needs is allocated now. Its time counts from before it is
// submitted: on a busy machine it may have ended before this thread looks at the clock again, and would seem to have
// taken no time.
void Dispatcher::prepare(std::list<InFlight>& prepared, const HeldTask& task, BlockRange blocks,
                         const Decision& decision, std::shared_ptr<device::Event> end) {
  const std::uint64_t now_ns = watcher_->clock().now_ns();
  const double each = task.work->seconds_per_block();
  const bool timed = end != nullptr;
  InFlight& range = prepared.emplace_back();
  range.task = *task.place_in_list;
  range.place = task.work->place();
  range.blocks = blocks.size();
  if (each > 0) range.predicted = each * static_cast<double>(range.blocks);
  range.submitted_ns = now_ns;
  range.end = std::move(end);
  range.tenant = task.queue->tenant;
  if (!policy_->sees_ranges()) return;
  range.entry = log_.add({.task = task.id,
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
                          .last = task.left.end == blocks.end,
                          .predicted_seconds = decision.predicted_seconds,
                          .timed = timed,
                          .marked = timed},
                         decision.processors);
}

void Dispatcher::track(HeldTask& task, std::list<InFlight>& prepared) noexcept {
  in_flight_.splice(in_flight_.end(), prepared);
  const auto at = std::prev(in_flight_.end());
  DeviceView& device = devices_[at->place];
  if (at->tenant) ++at->tenant->in_flight;
  ++device.ranges;
  if (at->predicted < 0)
    ++device.unknown_ranges;
  else
    device.predicted_seconds += at->predicted;
  ++task.ranges;
  ++task.queue->in_flight;
  task.queue->used = true;
  if (at->end == nullptr) {
    ++task.queue->untimed;
    return;
  }
  try {
    if (!report_end(at)) range_done(at);
  } catch (const std::exception& error) {
    base::log_debug("the end of a task is not reported, so that it counts as done: {}", error.what());
    const std::uint64_t now_ns = watcher_->clock().now_ns();
    end_untimed(*task.queue, at, now_ns);
    if (at->entry) at->entry->view.timed = false;
    account_end(*at, now_ns);
    unreported_.splice(unreported_.end(), in_flight_, at);
  }
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
// those that were predicted. Returns whether there was any. Looks no further than these are: each end comes here, and
// thousands of ranges may be in flight.
bool Dispatcher::end_untimed(LaunchQueue& queue, std::list<InFlight>::iterator before, std::uint64_t end_ns) {
  const auto nanoseconds = [](const InFlight& range) {
    const double seconds = range.entry ? range.entry->view.predicted_seconds : range.predicted;
    return static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9);
  };
  const auto is_one = [&](const InFlight& range) { return range.task->queue == &queue && range.end == nullptr; };
  std::uint64_t after = before == in_flight_.end() ? 0 : nanoseconds(*before);
  auto first = before;
  std::uint64_t left = queue.untimed;
  for (auto at = before; left > 0 && at != in_flight_.begin();) {
    --at;
    if (!is_one(*at)) continue;
    --left;
    first = at;
    at->end_ns = end_ns > after ? end_ns - after : 0;
    after += nanoseconds(*at);
  }
  if (left == queue.untimed) return false;
  queue.untimed = left;
  for (auto at = first; at != before;) {
    const auto next = at++;
    if (is_one(*next)) ended(next, next->end_ns);
  }
  return true;
}

void Dispatcher::ended(std::list<InFlight>::iterator at, std::uint64_t end_ns) {
  account_end(*at, end_ns);
  in_flight_.erase(at);
}

void Dispatcher::account_end(InFlight& range, std::uint64_t end_ns) {
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
  if (--task.queue->in_flight == 0 && task.queue->removed) forget(*task.queue);
  again_ = true;
  if (waiting_for_ends_ > 0) changed_.notify_all();
}

}  // namespace heddle::sched
