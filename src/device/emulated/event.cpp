#include "device/emulated/event.hpp"

namespace heddle::device::emulated {

void EventState::complete(std::exception_ptr failure, std::uint64_t time_ns) noexcept {
  base::Watcher::Prepared callbacks;
  {
    const base::Lock lock(mutex_);
    reached_ = true;
    error_ = std::move(failure);
    completed_ns_ = time_ns;
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  if (!callbacks.empty()) watcher_->post(std::move(callbacks));
}

bool EventState::on_done(std::function<void()> callback) const {
  base::Watcher::Prepared prepared = watcher_->prepare(std::move(callback));
  const base::Lock lock(mutex_);
  if (!reached_) callbacks_.splice(callbacks_.end(), prepared);
  return !reached_;
}

void EventState::wait_done() const {
  base::Lock lock(mutex_);
  while (!reached_) lock.wait(changed_);
}

bool EventState::done() const {
  const base::Lock lock(mutex_);
  return reached_;
}

std::exception_ptr EventState::error() const {
  const base::Lock lock(mutex_);
  return error_;
}

std::uint64_t EventState::completed_ns() const {
  const base::Lock lock(mutex_);
  return completed_ns_;
}

std::shared_ptr<EventState> QueueEvent::renew() {
  const base::Lock lock(mutex_);
  state_ = std::make_shared<EventState>(watcher_);
  return state_;
}

std::shared_ptr<EventState> QueueEvent::current() const {
  const base::Lock lock(mutex_);
  return state_;
}

bool QueueEvent::done() const {
  const auto state = current();
  return !state || state->done();
}

void QueueEvent::wait() {
  const auto state = current();
  if (!state) return;
  state->wait_done();
  if (const std::exception_ptr error = state->error()) std::rethrow_exception(error);
}

unsigned long long QueueEvent::completed_ns() const {
  const auto state = current();
  return state ? state->completed_ns() : 0;
}

}  // namespace heddle::device::emulated
