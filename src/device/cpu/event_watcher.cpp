#include "device/cpu/event_watcher.hpp"

#include <algorithm>
#include <chrono>

#include "device/cpu/queue_core.hpp"

namespace heddle::device::cpu {
namespace {

// Between two looks: short at first, then longer, so that a long wait costs no core.
constexpr std::chrono::microseconds shortest_pause{10}, longest_pause{500};

}  // namespace

EventWatcher::~EventWatcher() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool EventWatcher::subscribe(std::shared_ptr<const EventPoint> point, std::shared_ptr<QueueCore> queue) {
  if (point->done()) return false;
  const std::lock_guard guard(mutex_);
  entries_.push_back({std::move(point), std::move(queue)});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  return true;
}

void EventWatcher::run() {
  std::unique_lock lock(mutex_);
  auto pause = shortest_pause;
  while (!stopping_) {
    if (entries_.empty()) {
      changed_.wait(lock);
      pause = shortest_pause;
      continue;
    }
    const auto done =
        std::stable_partition(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.point->done(); });
    std::vector<Entry> resumed(std::make_move_iterator(done), std::make_move_iterator(entries_.end()));
    entries_.erase(done, entries_.end());
    if (resumed.empty()) {
      changed_.wait_for(lock, pause);
      pause = std::min(pause * 2, longest_pause);
      continue;
    }
    pause = shortest_pause;
    lock.unlock();
    for (const Entry& entry : resumed) entry.queue->resume();
    resumed.clear();
    lock.lock();
  }
}

}  // namespace heddle::device::cpu
