// Threads for work that may block.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace heddle::base {

// Each piece of work gets a thread of its own at once: one that is idle, or a new one. So pieces may wait for each
// other. Threads stay until the cache ends, which waits for none of them. Any thread.
class ThreadCache {
 public:
  explicit ThreadCache(std::string name);
  ~ThreadCache();
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;

  // `work` must not throw. Throws out_of_memory when the process can have no more threads.
  void run(std::function<void()> work);

 private:
  struct State;
  const std::string name_;
  const std::shared_ptr<State> state_;  // threads outlive the cache
};

}  // namespace heddle::base
