// A thread that runs what it is given, in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace heddle::base {

// Any thread calls.
class WorkerThread {
 public:
  // Throws out_of_memory when the process can have no more threads.
  explicit WorkerThread(const std::string& name);
  // Runs what it was given before.
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // `work` must not throw.
  void post(std::function<void()> work);
  // Waits until nothing is left to run. Not from the thread itself.
  void drain();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool running_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace heddle::base
