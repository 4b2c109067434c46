// Processes that this one has started and waits for, so that they end with it.
#pragma once

#include <sys/types.h>

#include <functional>

namespace heddle::base {

// Without wait(), the destructor ends it.
class ChildProcess {
 public:
  // `spawn` starts the child and returns its number, 0 or less where it cannot; it may throw. It runs with the list of
  // children locked: a child that end_all() does not know yet would outlive this process.
  explicit ChildProcess(const std::function<pid_t()>& spawn);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool started() const { return pid_ > 0; }
  // Waits until the child has ended. Returns its exit code, or 128 and the number of the signal that ended it; -1 if it
  // cannot be known. Call it once. After end_all() it does not return: how the child ended says nothing about its work
  // then.
  int wait();

  // For a process that ends now: sends SIGTERM to all children that have not been waited for, and to those that are
  // started later. Any thread.
  static void end_all();

 private:
  const pid_t pid_;
  bool waited_ = false;
};

}  // namespace heddle::base
