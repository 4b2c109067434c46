// Threads for work that may block.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace heddle::base {

// Each function runs at once on a thread of its own: an idle one or a new one. So functions may wait for each other.
// Threads exist until the cache is destroyed. The destructor does not wait for them. Any thread.
class ThreadCache {
 public:
  explicit ThreadCache(std::string name);
  ~ThreadCache();
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;

  // `work` must not throw. Throws out_of_memory if the process can have no more threads.
  void run(std::function<void()> work);

 private:
  struct State;
  const std::string name_;
  const std::shared_ptr<State> state_;  // threads outlive the cache
};

}  // namespace heddle::base
