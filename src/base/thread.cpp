#include "base/thread.hpp"

#include <pthread.h>

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "base/fail.hpp"
#include "base/memory_limit.hpp"
#include "base/system_limits.hpp"

namespace heddle::base {

BlockedSignals::BlockedSignals() {
  sigset_t all;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void prepare_exceptions() {
  volatile int made = std::uncaught_exceptions();  // a pure function, which compilers leave out where nobody reads it
  static_cast<void>(made);
}

namespace {

// More than prepare_exceptions() takes, as other threads may be faster.
using Reserve = std::array<std::byte, 64 * 1024>;

}  // namespace

std::thread start_thread(const std::string& name, std::function<void()> work) {
  const BlockedSignals blocked;
  try {
    std::thread thread([work = std::move(work), reserve = std::make_unique<Reserve>()]() mutable {
      reserve.reset();
      prepare_exceptions();
      work();
    });
    pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
    return thread;
  } catch (const std::system_error& error) {
    fail(ErrorCode::out_of_memory, "the process can have no more threads: {}{}{}", error.what(), memory_limit_note(),
         thread_limit_note());
  }
}

}  // namespace heddle::base
