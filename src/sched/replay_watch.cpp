#include "sched/replay_watch.hpp"

#include <mutex>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::sched {

bool ReplayWatch::start(std::chrono::nanoseconds patience) {
  if (set_) return true;
  patience_ = patience;
  seen_.reset();
  idle_ = 0;
  try {
    set_timer();
    set_ = true;
  } catch (const Error& error) {
    base::log_debug("launches are not held: {}", error.what());
  }
  return set_;
}

void ReplayWatch::end() {
  const base::Lock ending(ending_);
  ended_ = true;
}

void ReplayWatch::set_timer() {
  const std::uint64_t deadline = watcher_->clock().now_ns() + static_cast<std::uint64_t>(patience_.count());
  watcher_->at(deadline, [self = shared_from_this()] { self->timer_fired(); });
}

bool ReplayWatch::is_overdue() {
  const std::optional<std::uint64_t> position = held_.position();
  const bool overdue = position && position == seen_;
  idle_ = position && !overdue ? 0 : idle_ + 1;
  seen_ = position;
  return overdue;
}

void ReplayWatch::timer_fired() {
  const std::unique_lock ending(ending_.native(), std::try_to_lock);
  if (ending && ended_) return;
  // A callback must not block. If a lock is not free, the next callback tries again.
  if (!ending || !mutex_.native().try_lock()) {
    set_timer();
    return;
  }
  const std::unique_lock lock(mutex_.native(), std::adopt_lock);
  if (is_overdue()) {
    try {
      threads_.run([self = shared_from_this()] { self->submit_overdue(); });
      return;
    } catch (const Error&) {
      held_.submit();  // here, rather than never
    }
  }
  if (idle_ < most_idle)
    set_timer();
  else
    set_ = false;
}

// On a thread that may block.
void ReplayWatch::submit_overdue() {
  const base::Lock ending(ending_);
  if (ended_) return;
  const base::Lock lock(mutex_);
  if (held_.position() == seen_) held_.submit();
  if (idle_ < most_idle)
    set_timer();
  else
    set_ = false;
}

}  // namespace heddle::sched
