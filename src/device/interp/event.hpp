// Events: a state that the queue's worker sets, shared so that recording again leaves earlier waiters alone.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "device/event.hpp"

namespace heddle::device::interp {

struct EventState final : EventPoint {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool reached = false;
  std::exception_ptr error;
  unsigned long long completed_ns = 0;

  bool done() const override;
  void complete(std::exception_ptr failure);
  // Blocks until done; throws nothing.
  void wait_done() const;
};

class InterpEvent final : public Event {
 public:
  bool done() const override;
  void wait() override;
  unsigned long long completed_ns() const override;
  std::shared_ptr<const EventPoint> point() const override { return current(); }

  // A new state for a record; it is what done() and wait() ask from now on.
  std::shared_ptr<EventState> renew();
  std::shared_ptr<EventState> current() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<EventState> state_;  // null: never recorded
};

}  // namespace heddle::device::interp
