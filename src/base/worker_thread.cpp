#include "base/worker_thread.hpp"

#include <utility>

#include "base/thread.hpp"

namespace heddle::base {

WorkerThread::WorkerThread(const std::string& name) : thread_(start_thread(name, [this] { run(); })) {}

WorkerThread::~WorkerThread() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkerThread::post(std::function<void()> work) {
  {
    const Lock lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void WorkerThread::drain() {
  Lock lock(mutex_);
  while (running_ || !work_.empty()) lock.wait(changed_);
}

void WorkerThread::run() {
  Lock lock(mutex_);
  while (true) {
    while (!stop_ && work_.empty()) lock.wait(changed_);
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
