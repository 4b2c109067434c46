// Where functions of the host run that are in queues.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/thread_cache.hpp"
#include "base/thread_safety.hpp"

namespace heddle::device::cpu {

// Each function runs on a thread of its own. It may wait for kernels of other queues, or for other functions, and these
// need the workers. Any thread.
class HostCalls {
 public:
  // `pinned`: threads of the device are bound to cores. Those of functions run where the caller of this may.
  // `spin`: so long a thread looks for a next function before it sleeps.
  HostCalls(const base::Clock& clock, bool pinned, std::chrono::microseconds spin);
  // Waits until all functions have returned.
  ~HostCalls();
  HostCalls(const HostCalls&) = delete;
  HostCalls& operator=(const HostCalls&) = delete;

  // `function` must not throw. Where the process can have no more threads, one of those that run functions runs it
  // after its own. Throws out_of_memory if no such thread exists.
  void run(std::function<void()> function);
  // Whether one runs, which may end what a kernel waits for.
  bool any() const { return functions_.load(std::memory_order_relaxed) != 0; }

 private:
  using Function = std::function<void()>;
  // The next function of the thread that spins. next_ is &nothing_yet_ while a thread spins, and null while none does.
  std::unique_ptr<Function> take_next();
  void run_all(Function function);
  void start(Function& function);
  bool put_off(Function& function);
  // Null: nothing is put off, and the thread ends.
  Function end_or_take();

  static constexpr unsigned turns_between_clock_reads = 64;
  const base::Clock& clock_;
  const std::uint64_t spin_ns_;
  std::optional<cpu_set_t> processors_;  // null: those of the thread that starts a thread
  base::Mutex mutex_;
  std::condition_variable changed_;
  unsigned threads_running_ HEDDLE_GUARDED_BY(mutex_) = 0;  // that run a function, or spin
  std::deque<Function> put_off_ HEDDLE_GUARDED_BY(mutex_);  // for want of threads
  std::atomic<unsigned> functions_{0};
  Function nothing_yet_;
  std::atomic<Function*> next_{nullptr};
  std::atomic<bool> stop_{false};
  base::ThreadCache threads_{"heddle-host"};
};

}  // namespace heddle::device::cpu
