// An event that its owner completes: for executors that are not queues of a device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "device/event.hpp"

namespace heddle::device {

// One completion. All calls come from one thread; nobody can block on it, as nothing would run meanwhile.
class OwnedEvent final : public Event {
 public:
  bool done() const override { return point_->done(); }
  void wait() override {}
  unsigned long long completed_ns() const override { return end_ns_; }
  std::shared_ptr<const EventPoint> point() const override { return point_; }
  void complete(std::uint64_t end_ns) {
    end_ns_ = end_ns;
    const auto point = point_;  // the callback may destroy the event
    point->complete();
  }

 private:
  class Point final : public EventPoint {
   public:
    bool done() const override { return done_; }
    bool on_done(std::function<void()> callback) const override {
      if (done_) return false;
      callback_ = std::move(callback);
      return true;
    }
    void complete() {
      done_ = true;
      if (callback_) std::exchange(callback_, nullptr)();
    }

   private:
    bool done_ = false;
    mutable std::function<void()> callback_;
  };
  std::uint64_t end_ns_ = 0;
  const std::shared_ptr<Point> point_ = std::make_shared<Point>();
};

}  // namespace heddle::device
