#include "base/link_target.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/fail.hpp"

namespace heddle::base {

std::filesystem::path link_target(std::filesystem::path path) {
  constexpr int most_links = 40;
  std::error_code error;
  for (int i = 0; i < most_links; ++i) {
    if (!std::filesystem::is_symlink(path, error)) return path;
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;  // an absolute `next` replaces all
  }
  fail(ErrorCode::io_error, "cannot write {}: {}", path.string(),
       error ? error.message() : std::string(std::strerror(ELOOP)));
}

}  // namespace heddle::base
