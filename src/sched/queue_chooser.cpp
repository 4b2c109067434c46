#include "sched/queue_chooser.hpp"

#include <algorithm>

namespace heddle::sched {

std::uint32_t QueueChooser::take_free(bool& is_new) {
  while (policy_.new_queues == Scheduling::NewQueues::reuse && !free_.empty()) {
    const std::uint32_t queue = free_.front();
    free_.pop_front();
    queues_[queue].is_free = false;
    // A child of a finished task may have gone on in it meanwhile.
    if (queues_[queue].tasks == 0) return queue;
  }
  if (queues_.size() >= policy_.most_queues) {
    const auto least = std::min_element(queues_.begin(), queues_.end(),
                                        [](const Queue& a, const Queue& b) { return a.tasks < b.tasks; });
    return static_cast<std::uint32_t>(least - queues_.begin());
  }
  is_new = true;
  queues_.emplace_back();
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

void QueueChooser::finished(std::uint32_t number) {
  Queue& queue = queues_[number];
  if (--queue.tasks > 0) return;
  --busy_;
  if (queue.is_free) return;
  queue.is_free = true;
  free_.push_back(number);
}

}  // namespace heddle::sched
