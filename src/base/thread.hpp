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

// The signals that the calling thread blocks.
sigset_t blocked_signals();

// During its lifetime, the calling thread blocks these signals and no others: for the program's own code on threads of
// Heddle's.
class SignalMask {
 public:
  explicit SignalMask(const sigset_t& blocked);
  ~SignalMask();
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;

 private:
  sigset_t before_;
};

// Makes the data that the C++ runtime keeps for the exceptions of the calling thread. Else the first one makes them,
// which may be that of a lack of memory; the dynamic linker then ends the process. Started threads have made theirs.
void prepare_exceptions();

// Starts a thread that receives no signals of the program. `name`: at most 15 characters, for debuggers. Throws
// out_of_memory if the process can have no more threads, and std::bad_alloc.
std::thread start_thread(const std::string& name, std::function<void()> work);

}  // namespace heddle::base
