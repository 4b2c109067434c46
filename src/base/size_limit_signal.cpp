#include "base/size_limit_signal.hpp"

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace heddle::base {
namespace {

sigset_t set_of_it() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool is_pending() {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

}  // namespace

WithoutSizeLimitSignal::WithoutSizeLimitSignal() noexcept : was_pending_(is_pending()) {
  const sigset_t set = set_of_it();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

WithoutSizeLimitSignal::~WithoutSizeLimitSignal() {
  const int saved = errno;
  const sigset_t set = set_of_it();
  constexpr timespec at_once{};
  if (!was_pending_ && is_pending()) {
    while (::sigtimedwait(&set, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  if (sigismember(&before_, SIGXFSZ) == 0) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  errno = saved;
}

}  // namespace heddle::base
