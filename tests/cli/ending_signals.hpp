// Signals that end the heddle program in order.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace heddle::tests {

inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

// For a process that a test has forked and sends them to: none is ignored, whatever started the tests, and none makes
// a core file.
inline void accept_ending_signals() {
  for (const int signal : ending_signals) ::signal(signal, SIG_DFL);
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace heddle::tests
