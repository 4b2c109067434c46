// The destination of what kernels print.
#pragma once

namespace heddle::cli {

// While it exists, everything that the process writes to standard output goes to standard error, so that the program's
// standard output has only its own results. It works by the file descriptor, since the driver writes the printf output
// of a GPU's kernels.
class KernelOutputToStderr {
 public:
  KernelOutputToStderr();
  ~KernelOutputToStderr();
  KernelOutputToStderr(const KernelOutputToStderr&) = delete;
  KernelOutputToStderr& operator=(const KernelOutputToStderr&) = delete;

 private:
  int stdout_ = -1;  // a copy of the descriptor; -1: there is no standard output
};

}  // namespace heddle::cli
