#include "device/cpu/event.hpp"

#include <mutex>

#include "device/cpu/pool.hpp"
#include "device/cpu/queue_core.hpp"

namespace heddle::device::cpu {

std::uint64_t EventState::begin_record(const std::shared_ptr<QueueCore>& queue) {
  const std::lock_guard guard(lock_);
  queue_ = queue;
  return recorded_.fetch_add(1, std::memory_order_acq_rel) + 1;
}

void EventState::complete(std::uint64_t number, const std::exception_ptr& error, std::uint64_t now_ns) noexcept {
  std::vector<Subscriber> resumed;
  {
    const std::lock_guard guard(lock_);
    if (number <= completed_.load(std::memory_order_relaxed)) return;  // a later record was reached first
    error_ = error;
    completed_ns_.store(now_ns, std::memory_order_release);
    completed_.store(number, std::memory_order_seq_cst);
    for (std::size_t i = 0; i < subscribers_.size();) {
      if (subscribers_[i].number > number) {
        ++i;
        continue;
      }
      resumed.push_back(std::move(subscribers_[i]));
      subscribers_[i] = std::move(subscribers_.back());
      subscribers_.pop_back();
    }
  }
  if (sleepers_.load(std::memory_order_seq_cst) != 0) {
    signal_.fetch_add(1);
    signal_.notify_all();
  }
  for (const Subscriber& subscriber : resumed) subscriber.queue->resume();
}

bool EventState::subscribe(std::uint64_t number, std::shared_ptr<QueueCore> queue) {
  const std::lock_guard guard(lock_);
  if (completed_.load(std::memory_order_relaxed) >= number) return false;
  subscribers_.push_back({number, std::move(queue)});
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

std::shared_ptr<QueueCore> EventState::queue() const {
  const std::lock_guard guard(lock_);
  return queue_.lock();
}

EventTarget::EventTarget(EventState& state) : state_(state), number_(state.recorded()), queue_(state.queue()) {
  if (queue_ != nullptr) workers_ = queue_->workers();
}

std::uint64_t EventTarget::owner_id() const {
  return queue_ == nullptr || queue_->waits_for_event() ? 0 : queue_->id();
}

namespace {

class RecordPoint final : public EventPoint {
 public:
  explicit RecordPoint(std::shared_ptr<EventState> state) : state_(std::move(state)), number_(state_->recorded()) {}
  bool done() const override { return state_->reached(number_); }

 private:
  const std::shared_ptr<EventState> state_;
  const std::uint64_t number_;
};

}  // namespace

std::shared_ptr<EventState> CpuEvent::state() const {
  const std::lock_guard guard(lock_);
  return state_;
}

std::shared_ptr<EventState> CpuEvent::state_for(const QueueCore& queue) {
  const std::lock_guard guard(lock_);
  if (!state_->reached(state_->recorded()) && state_->queue().get() != &queue) state_ = std::make_shared<EventState>();
  return state_;
}

bool CpuEvent::done() const {
  const std::lock_guard guard(lock_);
  return state_->reached(state_->recorded());
}

std::shared_ptr<const EventPoint> CpuEvent::point() const {
  const std::shared_ptr<EventState> now = state();
  if (now->recorded() == 0) return nullptr;
  return std::make_shared<RecordPoint>(now);
}

void CpuEvent::wait() {
  const std::shared_ptr<EventState> now = state();
  EventTarget target(*now);
  pool_.wait(target);
  if (const std::exception_ptr error = now->error()) std::rethrow_exception(error);
}

}  // namespace heddle::device::cpu
