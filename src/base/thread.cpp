#include "base/thread.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
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
