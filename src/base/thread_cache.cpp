#include "base/thread_cache.hpp"

#include <condition_variable>
#include <deque>
#include <utility>

#include "base/thread.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {

struct ThreadCache::State {
  Mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work HEDDLE_GUARDED_BY(mutex);  // no more of it than idle threads
  std::size_t idle HEDDLE_GUARDED_BY(mutex) = 0;
  bool stop HEDDLE_GUARDED_BY(mutex) = false;

  void run_thread(std::function<void()> first) {
    first();
    first = nullptr;
    Lock lock(mutex);
    while (!stop) {
      ++idle;
      while (!stop && work.empty()) lock.wait(changed);
      --idle;
      if (work.empty()) return;
      std::function<void()> next = std::move(work.front());
      work.pop_front();
      lock.unlock();
      next();
      next = nullptr;
      lock.lock();
    }
  }
};

ThreadCache::ThreadCache(std::string name) : name_(std::move(name)), state_(std::make_shared<State>()) {}

ThreadCache::~ThreadCache() {
  const Lock lock(state_->mutex);
  state_->stop = true;
  state_->changed.notify_all();
}

void ThreadCache::run(std::function<void()> work) {
  {
    const Lock lock(state_->mutex);
    if (state_->work.size() < state_->idle) {
      state_->work.push_back(std::move(work));
      state_->changed.notify_one();
      return;
    }
  }
  start_thread(name_, [state = state_, work = std::move(work)]() mutable {
    state->run_thread(std::move(work));
  }).detach();
}

}  // namespace heddle::base
