// Writes to files in programs that are not Heddle's own.
#pragma once

#include <csignal>

namespace heddle::base {

// A write beyond the limit on the size of files (ulimit -f) fails, and raises SIGXFSZ, which ends a program that takes
// no care of it. During the lifetime of this object such writes of the calling thread only fail. The program's handling
// of the signal stays as it is.
class WithoutSizeLimitSignal {
 public:
  WithoutSizeLimitSignal() noexcept;
  ~WithoutSizeLimitSignal();
  WithoutSizeLimitSignal(const WithoutSizeLimitSignal&) = delete;
  WithoutSizeLimitSignal& operator=(const WithoutSizeLimitSignal&) = delete;

 private:
  sigset_t before_;
  bool was_pending_;
};

}  // namespace heddle::base
