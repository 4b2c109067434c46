#include "device/cpu/event.hpp"

#include <mutex>
#include <utility>

namespace heddle::device::cpu {

EventTarget::EventTarget(EventState& state) : state_(state), number_(state.recorded()), queue_(state.queue()) {
  if (queue_ != nullptr) workers_ = queue_->workers();
}

std::uint64_t EventTarget::owner_id() const {
  return queue_ == nullptr || queue_->waits_for_event() ? 0 : queue_->id();
}

namespace {

class RecordPoint final : public EventPoint {
 public:
  RecordPoint(std::shared_ptr<EventState> state, std::shared_ptr<base::Watcher> watcher)
      : state_(std::move(state)), watcher_(std::move(watcher)), number_(state_->recorded()) {}
  bool done() const override { return state_->reached(number_); }
  bool on_done(std::function<void()> callback) const override {
    const auto prepared = std::make_shared<base::Watcher::Prepared>(watcher_->prepare(std::move(callback)));
    return state_->subscribe(number_, [watcher = watcher_, prepared] { watcher->post(std::move(*prepared)); });
  }

 private:
  const std::shared_ptr<EventState> state_;
  const std::shared_ptr<base::Watcher> watcher_;
  const std::uint64_t number_;
};

}  // namespace

std::shared_ptr<EventState> CpuEvent::state() const {
  const std::lock_guard guard(lock_);
  return state_;
}

std::shared_ptr<EventState> CpuEvent::state_for(const Recorder& queue) {
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
  return std::make_shared<RecordPoint>(now, watcher_);
}

void CpuEvent::wait() {
  const std::shared_ptr<EventState> now = state();
  if (!now->reached(now->recorded())) {  // else without the queue's lock, with which commands may be destroyed
    EventTarget target(*now);
    pool_.wait(target);
  }
  if (const std::exception_ptr error = now->error()) std::rethrow_exception(error);
}

}  // namespace heddle::device::cpu
