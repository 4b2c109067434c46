// Where what kernels print goes.
#pragma once

namespace heddle::cli {

// While it lives, what anybody in the process writes to standard output goes to standard error, so that the standard
// output of the program stays what the program itself has to say. By the file descriptor, since the printf of a GPU's
// kernels is written by the driver.
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
