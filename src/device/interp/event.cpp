#include "device/interp/event.hpp"

#include <utility>

#include "base/clock.hpp"

namespace heddle::device::interp {

void EventState::complete(std::exception_ptr failure) {
  {
    std::lock_guard lock(mutex);
    reached = true;
    error = std::move(failure);
    completed_ns = base::SteadyClock::now();
  }
  changed.notify_all();
}

void EventState::wait_done() const {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return reached; });
}

bool EventState::done() const {
  std::lock_guard lock(mutex);
  return reached;
}

std::shared_ptr<EventState> InterpEvent::renew() {
  std::lock_guard lock(mutex_);
  state_ = std::make_shared<EventState>();
  return state_;
}

std::shared_ptr<EventState> InterpEvent::current() const {
  std::lock_guard lock(mutex_);
  return state_;
}

bool InterpEvent::done() const {
  const auto state = current();
  return !state || state->done();
}

void InterpEvent::wait() {
  const auto state = current();
  if (!state) return;
  state->wait_done();
  if (state->error) std::rethrow_exception(state->error);
}

unsigned long long InterpEvent::completed_ns() const {
  const auto state = current();
  if (!state) return 0;
  std::lock_guard lock(state->mutex);
  return state->completed_ns;
}

}  // namespace heddle::device::interp
