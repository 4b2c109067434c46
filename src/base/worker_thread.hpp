// A thread that runs functions in the order in which they were posted.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "base/thread_safety.hpp"

namespace heddle::base {

// Any thread may call.
class WorkerThread {
 public:
  // Throws out_of_memory if the process can have no more threads.
  explicit WorkerThread(const std::string& name);
  // Runs the functions that were posted before, then ends the thread.
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // `work` must not throw.
  void post(std::function<void()> work);
  // Waits until all posted functions have run. Must not be called from the thread itself.
  void drain();

 private:
  void run();

  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_ HEDDLE_GUARDED_BY(mutex_);
  bool running_ HEDDLE_GUARDED_BY(mutex_) = false;
  bool stop_ HEDDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace heddle::base
