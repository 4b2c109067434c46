// What other threads read and change of a worker: whether it is occupied, whether it makes progress, and its thread's
// sleep.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/futex.hpp"
#include "device/cpu/adaptive_lock.hpp"

namespace heddle::device::cpu {

class WorkerState {
 public:
  explicit WorkerState(unsigned index) : index_(index) {}
  WorkerState(const WorkerState&) = delete;
  WorkerState& operator=(const WorkerState&) = delete;

  unsigned index() const { return index_; }

  // One thread at a time occupies the worker.
  bool try_occupy() { return !occupied_.load(std::memory_order_relaxed) && !occupied_.exchange(true); }
  bool occupied() const { return occupied_.load(std::memory_order_seq_cst); }
  void vacate() { occupied_.store(false); }

  // The thread that occupies the worker, for signals; nullopt before it leaves.
  void set_thread(std::optional<pthread_t> thread) {
    const std::lock_guard guard(thread_lock_);
    thread_ = thread;
  }
  // Sends the signal to that thread.
  void send(int signal) {
    const std::lock_guard guard(thread_lock_);
    if (thread_) ::pthread_kill(*thread_, signal);
  }

  // Written by the thread that occupies the worker; others distinguish a deadlock from work by it.
  void note_progress() { progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }
  enum class Activity : std::uint8_t { idle, running, spinning };
  Activity activity() const { return activity_.load(std::memory_order_relaxed); }
  void set_activity(Activity activity) { activity_.store(activity, std::memory_order_relaxed); }
  // All warps of the worker spin, as of now.
  void note_poll(std::uint64_t now_ns) {
    polled_ns_.store(now_ns, std::memory_order_relaxed);
    set_activity(Activity::spinning);
  }
  bool is_running(std::uint64_t now_ns) const;

  // The worker's own thread.
  enum class ThreadState : std::uint32_t { awake, spinning, sleeping };
  ThreadState thread_state() const { return thread_state_.load(); }
  void set_thread_state(ThreadState state) { thread_state_.store(state); }
  void wake() {
    wakeups_.fetch_add(1);
    base::futex_wake_one(wakeups_);
  }
  std::uint32_t wakeups() const { return wakeups_.load(); }
  // Sleeps until there are others than `seen`, or for no reason.
  void sleep(std::uint32_t seen) { base::futex_wait(wakeups_, seen); }

 private:
  const unsigned index_;
  AdaptiveLock thread_lock_;
  std::optional<pthread_t> thread_;
  alignas(64) std::atomic<bool> occupied_{false};
  alignas(64) std::atomic<std::uint64_t> progress_{0};
  std::atomic<Activity> activity_{Activity::idle};
  std::atomic<std::uint64_t> polled_ns_{0};
  alignas(64) std::atomic<std::uint32_t> wakeups_{0};
  std::atomic<ThreadState> thread_state_{ThreadState::awake};
};

inline bool WorkerState::is_running(std::uint64_t now_ns) const {
  // A worker whose warps all spin reads the clock more often than that.
  constexpr std::uint64_t longest_poll_ns = 100'000'000;
  switch (activity()) {
    case Activity::idle: return false;
    case Activity::running: return true;
    case Activity::spinning: break;
  }
  // A warp that has left its loop may compute for long without saying so; but then the worker does not poll.
  const std::uint64_t polled = polled_ns_.load(std::memory_order_relaxed);
  return now_ns > polled && now_ns - polled > longest_poll_ns;
}

}  // namespace heddle::device::cpu
