// Submits launches that the replayer has held for too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/thread_cache.hpp"
#include "base/thread_safety.hpp"
#include "base/watcher.hpp"

namespace heddle::sched {

// Made by make_shared, as a check may be in progress when its owner is destroyed.
class ReplayWatch : public std::enable_shared_from_this<ReplayWatch> {
 public:
  // Both are called with the core's lock.
  struct Held {
    std::function<std::optional<std::uint64_t>()> position;  // of the last held launch; nothing: no launch is held
    std::function<void()> submit;                            // submits the held launches
  };
  // `mutex`: the core's. `held` is used until end().
  ReplayWatch(base::Mutex& mutex, std::shared_ptr<base::Watcher> watcher, Held held)
      : mutex_(mutex), watcher_(std::move(watcher)), held_(std::move(held)) {}

  // To be called when a launch is held. The held launches are submitted if no other one follows within `patience`.
  // False: no thread can be started for that. Needs the core's lock.
  bool start(std::chrono::nanoseconds patience);
  // Waits for a check in progress. Must be called without the core's lock.
  void end();

 private:
  // After so many checks without held launches, the timer is no longer set. Setting it costs a launch more than the
  // idle checks do.
  static constexpr unsigned most_idle = 100;

  void set_timer();
  // On the watcher's thread. It takes locks only if they are free, which clang's analysis does not follow.
  void timer_fired() HEDDLE_NO_THREAD_SAFETY_ANALYSIS;
  // Whether launches are held, and none was added since the last check. Needs the core's lock.
  bool is_overdue();
  void submit_overdue();

  base::Mutex& mutex_;
  const std::shared_ptr<base::Watcher> watcher_;
  base::ThreadCache threads_{"heddle-replay"};
  base::Mutex ending_;  // taken before the core's
  bool ended_ HEDDLE_GUARDED_BY(ending_) = false;
  // Guarded by the core's lock.
  Held held_;
  std::chrono::nanoseconds patience_{};
  bool set_ = false;
  std::optional<std::uint64_t> seen_;
  unsigned idle_ = 0;
};

}  // namespace heddle::sched
