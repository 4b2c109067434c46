// Processes that this one has started and waits for, so that they end with it.
#pragma once

#include <sys/types.h>

namespace heddle::base {

// A child that has been started. Without wait(), the destructor ends it.
class ChildProcess {
 public:
  explicit ChildProcess(pid_t pid);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until the child has ended. Returns its exit code, or 128 and the number of the signal that ended it; -1 if it
  // cannot be known. Call it once.
  int wait();

  // Sends SIGTERM to all children that have not been waited for. Any thread.
  static void end_all();

 private:
  const pid_t pid_;
  bool waited_ = false;
};

}  // namespace heddle::base
