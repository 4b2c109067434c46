// How Heddle starts threads.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace heddle::base {

// During its lifetime, threads that the calling thread starts have the program's signals blocked. Signals of faults are
// not blocked, as they are for the thread that caused them.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// Starts a thread that receives no signals of the program. `name`: at most 15 characters, for debuggers. Throws
// out_of_memory if the process can have no more threads.
std::thread start_thread(const std::string& name, std::function<void()> work);

}  // namespace heddle::base
