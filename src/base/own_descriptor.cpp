#include "base/own_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::base {

int above_standard_files(int file) noexcept {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(file);
  errno = error;
  return moved;
}

}  // namespace heddle::base
