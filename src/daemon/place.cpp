#include "daemon/place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/variables.hpp"
#include "daemon/socket.hpp"

namespace heddle::daemon {
namespace {

namespace fs = std::filesystem;

// Shells, services and jobs of one user have different environments. TMPDIR plays no part: it is meant to differ.
std::vector<fs::path> places() {
  std::vector<fs::path> all;
  const auto add = [&](fs::path place) {
    if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(std::move(place));
  };
  // After su, it may be that of another user.
  const auto is_own = [](const fs::path& folder) {
    struct stat status{};
    return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::getuid();
  };
  if (const char* const folder = std::getenv("XDG_RUNTIME_DIR"); folder != nullptr && *folder == '/' && is_own(folder))
    add((fs::path(folder) / "heddle" / "daemon").lexically_normal());
  if (const fs::path usual = fmt::format("/run/user/{}", ::getuid()); is_own(usual)) add(usual / "heddle" / "daemon");
  add(fs::path("/tmp") / fmt::format("heddle-daemon-{}", ::getuid()) / "daemon");
  return all;
}

}  // namespace

fs::path socket_path() {
  if (const auto chosen = base::text_variable("HEDDLE_DAEMON")) return fs::absolute(*chosen);
  const std::vector<fs::path> all = places();
  for (const fs::path& place : all)
    if (connect_to(place)) return place;
  return all.front();
}

}  // namespace heddle::daemon
