#include "cli/standard_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::cli {

void hold_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (::fcntl(file, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number is this one. Reading from standard output, or writing to standard input, fails as before.
    const int direction = file == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", direction | O_CLOEXEC) < 0) return;
  }
}

}  // namespace heddle::cli
