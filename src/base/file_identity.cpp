#include "base/file_identity.hpp"

#include <sys/stat.h>

namespace heddle::base {

FileIdentity file_identity(const std::filesystem::path& path) noexcept {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

}  // namespace heddle::base
