#include "base/thread.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <system_error>

#include "base/fail.hpp"
#include "base/memory_limit.hpp"
#include "base/system_limits.hpp"

namespace heddle::base {

BlockedSignals::BlockedSignals() {
  sigset_t all;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before_);  // those of faults are open even where the program has blocked them
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

sigset_t blocked_signals() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return blocked;
}

SignalMask::SignalMask(const sigset_t& blocked) { pthread_sigmask(SIG_SETMASK, &blocked, &before_); }
SignalMask::~SignalMask() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void prepare_exceptions() {
  volatile int made = std::uncaught_exceptions();  // a pure function, which compilers leave out where nobody reads it
  static_cast<void>(made);
}

namespace {

// Address space for what a new thread allocates first. glibc maps it anew, and not from the heap, where there is too
// little address space for a heap of the thread's own.
class Reserve {
 public:
  Reserve() : memory_(::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category());
  }
  ~Reserve() { ::munmap(memory_, bytes); }
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

 private:
  static constexpr std::size_t bytes = 256 * 1024;
  void* const memory_;
};

// Whether memory is what another thread lacks: the C library reports that as it reports a lack of threads.
bool lacks_memory() noexcept {
  constexpr std::size_t spare = 1 << 20;  // what a thread needs beside its stack
  std::size_t bytes = 0;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return true;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  bytes += spare;
  void* const stack = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return true;
  ::munmap(stack, bytes);
  return false;
}

}  // namespace

std::thread start_thread(const std::string& name, std::function<void()> work) {
  const BlockedSignals blocked;
  for (int tries_left = 2;; --tries_left) {
    try {
      std::thread thread([work, reserve = std::make_unique<Reserve>()]() mutable {
        reserve.reset();
        prepare_exceptions();
        work();
      });
      pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
      return thread;
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::not_enough_memory || lacks_memory())
        fail(ErrorCode::out_of_memory, "the process can have no more threads: there is no memory for another one{}",
             memory_limit_note());
      if (tries_left > 0) continue;  // memory that was short is there again, as other threads end
      fail(ErrorCode::out_of_memory, "the process can have no more threads: {}{}{}", error.what(), thread_limit_note(),
           memory_limit_note());
    }
  }
}

}  // namespace heddle::base
