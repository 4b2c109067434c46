#include "device/cpu/event_state.hpp"

#include <mutex>
#include <utility>

namespace heddle::device::cpu {

std::uint64_t EventState::begin_record(const std::shared_ptr<Recorder>& queue) {
  const std::lock_guard guard(lock_);
  queue_ = queue;
  return recorded_.fetch_add(1, std::memory_order_acq_rel) + 1;
}

void EventState::complete(std::uint64_t number, const std::exception_ptr& error, std::uint64_t now_ns) noexcept {
  std::list<Subscriber> reached;  // in the order in which they subscribed
  {
    const std::lock_guard guard(lock_);
    if (number <= completed_.load(std::memory_order_relaxed)) return;  // a later record was reached first
    error_ = error;
    completed_ns_.store(now_ns, std::memory_order_release);
    completed_.store(number, std::memory_order_seq_cst);
    for (auto it = subscribers_.begin(); it != subscribers_.end();) {
      const auto subscriber = it++;
      if (subscriber->number <= number) reached.splice(reached.end(), subscribers_, subscriber);
    }
  }
  if (sleepers_.load(std::memory_order_seq_cst) != 0) {
    signal_.fetch_add(1);
    signal_.notify_all();
  }
  for (const Subscriber& subscriber : reached) subscriber.callback();
}

bool EventState::subscribe(std::uint64_t number, std::function<void()> callback) {
  const std::lock_guard guard(lock_);
  if (completed_.load(std::memory_order_relaxed) >= number) return false;
  subscribers_.push_back({number, std::move(callback)});
  return true;
}

void EventState::sleep_until(std::uint64_t number) {
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    const std::uint32_t signal = signal_.load();
    if (completed_.load(std::memory_order_seq_cst) >= number) break;
    signal_.wait(signal);
  }
  sleepers_.fetch_sub(1);
}

std::exception_ptr EventState::error() const {
  const std::lock_guard guard(lock_);
  return error_;
}

std::shared_ptr<Recorder> EventState::queue() const {
  const std::lock_guard guard(lock_);
  return queue_.lock();
}

}  // namespace heddle::device::cpu
