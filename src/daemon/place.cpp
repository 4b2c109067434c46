#include "daemon/place.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/variables.hpp"

namespace heddle::daemon {

std::filesystem::path socket_path() {
  if (const auto chosen = base::text_variable("HEDDLE_DAEMON")) return std::filesystem::absolute(*chosen);
  if (const char* const folder = std::getenv("XDG_RUNTIME_DIR"); folder != nullptr && *folder == '/')
    return std::filesystem::path(folder) / "heddle" / "daemon";
  return std::filesystem::temp_directory_path() / fmt::format("heddle-daemon-{}", ::getuid()) / "daemon";
}

}  // namespace heddle::daemon
