// Points whose completion is not reported: the watcher polls them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/watcher.hpp"
#include "device/event.hpp"

namespace heddle::device {

// done() is evaluated on the watcher's thread. Made by make_shared.
class PolledPoint : public EventPoint, public std::enable_shared_from_this<PolledPoint> {
 public:
  // `sequence`, `place`: see base::Watcher::poll.
  PolledPoint(std::shared_ptr<base::Watcher> watcher, const void* sequence, std::uint64_t place = 0)
      : watcher_(std::move(watcher)), sequence_(sequence), place_(place) {}
  bool on_done(std::function<void()> callback) const override {
    if (done()) return false;
    watcher_->poll(sequence_, place_, [self = shared_from_this()] { return self->done(); }, std::move(callback));
    return true;
  }

 protected:
  // For another record of the same object, which nothing else refers to.
  void set_place(const void* sequence, std::uint64_t place) {
    sequence_ = sequence;
    place_ = place;
  }

 private:
  std::shared_ptr<base::Watcher> watcher_;
  const void* sequence_;
  std::uint64_t place_;
};

}  // namespace heddle::device
