#include "cli/kernel_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace heddle::cli {

KernelOutputToStderr::KernelOutputToStderr() {
  std::fflush(stdout);
  stdout_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (stdout_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) return;
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // there is no standard error
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

KernelOutputToStderr::~KernelOutputToStderr() {
  if (stdout_ < 0) return;
  std::fflush(stdout);
  ::dup2(stdout_, STDOUT_FILENO);
  ::close(stdout_);
}

}  // namespace heddle::cli
