#include "base/worker_thread.hpp"

#include <utility>

#include "base/thread.hpp"

namespace heddle::base {

WorkerThread::WorkerThread(const std::string& name) : thread_(start_thread(name, [this] { run(); })) {}

WorkerThread::~WorkerThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkerThread::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void WorkerThread::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return work_.empty() && !running_; });
}

void WorkerThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !work_.empty(); });
    if (work_.empty()) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    running_ = true;
    lock.unlock();
    work();
    work = nullptr;  // what it holds may take locks when it ends
    lock.lock();
    running_ = false;
    if (work_.empty()) changed_.notify_all();
  }
}

}  // namespace heddle::base
