// A watcher without a thread: its callbacks run when the one who moves the clock says so.
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/watcher.hpp"

namespace heddle::tenancy {

// One thread.
class VirtualWatcher final : public base::Watcher {
 public:
  explicit VirtualWatcher(std::shared_ptr<base::ManualClock> clock) : clock_(std::move(clock)) {}
  const base::Clock& clock() const override { return *clock_; }
  void post(Prepared callbacks) noexcept override { posted_.splice(posted_.end(), callbacks); }
  Prepared prepare(Callback callback) override {
    Prepared prepared;
    prepared.push_back(std::move(callback));
    return prepared;
  }
  void poll(const void*, std::uint64_t, Condition condition, Callback callback) override {
    polled_.emplace_back(std::move(condition), std::move(callback));
  }
  std::uint64_t at(std::uint64_t deadline_ns, Callback callback) override {
    const std::uint64_t timer = ++timers_made_;
    timers_.emplace(std::pair(deadline_ns, timer), std::move(callback));
    deadlines_.emplace(timer, deadline_ns);
    return timer;
  }
  bool cancel(std::uint64_t timer) override {
    const auto found = deadlines_.find(timer);
    if (found == deadlines_.end()) return false;
    timers_.erase({found->second, timer});
    deadlines_.erase(found);
    return true;
  }
  void drain() override { run(); }

  // The deadline of the next timer.
  std::uint64_t next_ns() const {
    return timers_.empty() ? std::numeric_limits<std::uint64_t>::max() : timers_.begin()->first.first;
  }
  // Runs what is due.
  void run() {
    while (!posted_.empty()) {
      const Callback callback = std::move(posted_.front());
      posted_.pop_front();
      callback();
    }
    for (auto at = polled_.begin(); at != polled_.end();) {
      if (!at->first()) {
        ++at;
        continue;
      }
      const Callback callback = std::move(at->second);
      at = polled_.erase(at);
      callback();
    }
    while (!timers_.empty() && timers_.begin()->first.first <= clock_->now_ns()) {
      const Callback callback = std::move(timers_.begin()->second);
      deadlines_.erase(timers_.begin()->first.second);
      timers_.erase(timers_.begin());
      callback();
    }
  }

 private:
  const std::shared_ptr<base::ManualClock> clock_;
  Prepared posted_;
  std::list<std::pair<Condition, Callback>> polled_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Callback> timers_;  // by deadline and number
  std::map<std::uint64_t, std::uint64_t> deadlines_;
  std::uint64_t timers_made_ = 0;
};

}  // namespace heddle::tenancy
