#include "graph/queue_chooser.hpp"

#include <algorithm>
#include <tuple>

namespace heddle::graph {

std::uint32_t QueueChooser::take_free(bool& is_new) {
  while (policy_.new_queues == Scheduling::NewQueues::reuse && !free_.empty()) {
    const std::uint32_t queue = free_.front();
    free_.pop_front();
    queues_[queue].is_free = false;
    // A child of a finished task may have gone on in it meanwhile.
    if (queues_[queue].tasks == 0) return queue;
  }
  if (queues_.size() - own_made_ >= policy_.most_queues) {
    const auto least = std::min_element(queues_.begin(), queues_.end(), [](const Queue& a, const Queue& b) {
      return std::tie(a.is_own, a.tasks) < std::tie(b.is_own, b.tasks);
    });
    return static_cast<std::uint32_t>(least - queues_.begin());
  }
  is_new = true;
  queues_.emplace_back();
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

// In turns. Never one with a task that lasts, after which the brief one would have to wait.
std::uint32_t QueueChooser::take_brief(bool& is_new) {
  if (policy_.new_queues != Scheduling::NewQueues::reuse) return take_free(is_new);
  if (brief_.size() < std::min<std::size_t>(brief_queues, policy_.most_queues))
    return brief_.emplace_back(take_free(is_new));
  for (std::size_t tried = 0; tried < brief_.size(); ++tried) {
    const std::uint32_t queue = brief_[next_brief_++ % brief_.size()];
    if (queues_[queue].lasting == 0) return queue;
  }
  return brief_[next_brief_++ % brief_.size()] = take_free(is_new);
}

// They come on top of the most that there may be.
std::uint32_t QueueChooser::take_own(std::size_t number, bool& is_new) {
  if (number >= own_.size()) own_.resize(number + 1, none);
  if (own_[number] != none) return own_[number];
  is_new = true;
  queues_.emplace_back().is_own = true;
  ++own_made_;
  return own_[number] = static_cast<std::uint32_t>(queues_.size() - 1);
}

void QueueChooser::finished(const Task& task) {
  Queue& queue = queues_[task.queue];
  if (!task.brief) --queue.lasting;
  if (--queue.tasks > 0) return;
  --busy_;
  if (queue.is_free || queue.is_own) return;
  queue.is_free = true;
  free_.push_back(task.queue);
}

}  // namespace heddle::graph
