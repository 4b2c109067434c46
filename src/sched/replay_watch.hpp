// Watches that launches are not held for too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/thread_cache.hpp"
#include "base/thread_safety.hpp"
#include "base/watcher.hpp"

namespace heddle::sched {

// Made by make_shared: a check may be under way when its owner ends.
class ReplayWatch : public std::enable_shared_from_this<ReplayWatch> {
 public:
  // Both are called with the core's lock.
  struct Held {
    std::function<std::optional<std::uint64_t>()> position;  // of the last held launch; nothing: none is held
    std::function<void()> submit;                            // what is held
  };
  // `mutex`: the core's. `held` is used until end().
  ReplayWatch(base::Mutex& mutex, std::shared_ptr<base::Watcher> watcher, Held held)
      : mutex_(mutex), watcher_(std::move(watcher)), held_(std::move(held)) {}

  // A launch is held: it is submitted if no other one follows for as long as `patience`. False: no thread can be had to
  // see to that. Needs the core's lock.
  bool start(std::chrono::nanoseconds patience);
  // Waits for a check that is under way. Without the core's lock.
  void end();

 private:
  // Checks without held launches until the timer is not set any more: setting it costs a launch more than that.
  static constexpr unsigned most_idle = 100;

  void set_timer();
  // On the watcher's thread.
  void timer_fired();
  // Whether launches have been held since the last check and no other has come. Needs the core's lock.
  bool is_overdue();
  void submit_overdue();

  base::Mutex& mutex_;
  const std::shared_ptr<base::Watcher> watcher_;
  base::ThreadCache threads_{"heddle-replay"};
  std::mutex ending_;  // taken before the core's
  bool ended_ = false;
  // Guarded by the core's lock.
  Held held_;
  std::chrono::nanoseconds patience_{};
  bool set_ = false;
  std::optional<std::uint64_t> seen_;
  unsigned idle_ = 0;
};

}  // namespace heddle::sched
