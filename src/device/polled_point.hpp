// Points whose completion is not reported: the watcher polls them.
#pragma once

#include <memory>
#include <utility>

#include "base/watcher.hpp"
#include "device/event.hpp"

namespace heddle::device {

// done() is evaluated on the watcher's thread. Made by make_shared.
class PolledPoint : public EventPoint, public std::enable_shared_from_this<PolledPoint> {
 public:
  // `sequence`: see base::Watcher::poll.
  PolledPoint(std::shared_ptr<base::Watcher> watcher, const void* sequence)
      : watcher_(std::move(watcher)), sequence_(sequence) {}
  bool on_done(std::function<void()> callback) const override {
    if (done()) return false;
    watcher_->poll(sequence_, [self = shared_from_this()] { return self->done(); }, std::move(callback));
    return true;
  }

 protected:
  // For another record of the same object, which nothing else refers to.
  void set_sequence(const void* sequence) { sequence_ = sequence; }

 private:
  std::shared_ptr<base::Watcher> watcher_;
  const void* sequence_;
};

}  // namespace heddle::device
