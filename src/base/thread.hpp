// How Heddle starts threads.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace heddle::base {

// While it lives, threads that the calling thread starts get no signals that are meant for the program. Signals of a
// fault stay: they are the thread's own.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// Starts a thread that gets no signals of the program. `name`: at most 15 characters, for debuggers. Throws
// out_of_memory when the process can have no more threads.
std::thread start_thread(const std::string& name, std::function<void()> work);

}  // namespace heddle::base
