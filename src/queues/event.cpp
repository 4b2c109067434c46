#include "queues/event.hpp"

namespace heddle::queues {
namespace {

std::shared_ptr<EventRecord> make_record(core::Core& core, std::size_t place, bool timed) {
  device::Device& device = core.device(place);
  return std::make_shared<EventRecord>(timed ? device.event() : device.untimed_event());
}

}  // namespace

EventState::EventState(std::shared_ptr<core::Core> core, std::size_t place, bool timed)
    : core_(std::move(core)), place_(place), timed_(timed), record_(make_record(*core_, place, timed)) {}

// Where only this event refers to the record that is there, it is used again: nothing waits for it that is held.
std::shared_ptr<EventRecord> EventState::renew() {
  const base::Lock lock(mutex_);
  if (record_.use_count() > 1) record_ = make_record(*core_, place_, timed_);
  return record_;
}

bool EventState::done() const {
  if (core_->dispatcher() != nullptr) {
    const base::Lock lock(core_->mutex());
    if (is_held(task())) return false;
  }
  return record()->event->done();
}

void EventState::wait() {
  if (core_->dispatcher() != nullptr) {
    base::Lock lock(core_->mutex());
    const std::shared_ptr<sched::HeldTask> recorder = task();
    if (is_held(recorder)) core_->dispatcher()->wait_until_submitted({&recorder, 1}, lock);
  }
  record()->event->wait();
}

}  // namespace heddle::queues
