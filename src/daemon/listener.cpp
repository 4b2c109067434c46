#include "daemon/listener.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/fail.hpp"
#include "base/system_limits.hpp"
#include "daemon/client.hpp"
#include "daemon/pause.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {

bool lock_start(const Descriptor& file, const std::filesystem::path& name, const base::Clock& clock) {
  constexpr std::uint64_t patience_ns = 60'000'000'000, step_ns = 5'000'000;
  const std::uint64_t end = clock.now_ns() + patience_ns;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (clock.now_ns() >= end)
      base::fail(ErrorCode::io_error, "another start of the daemon does not end; it has {} locked", name.string());
    pause(clock, step_ns);
  }
  return true;
}

void require_no_daemon(const std::filesystem::path& path) {
  if (runs_at(path)) base::fail(ErrorCode::io_error, "a daemon runs already at {}", path.string());
  std::string hindrance;
  if (!connect_to(path, &hindrance) && !hindrance.empty())
    base::fail(ErrorCode::io_error, "{}; HEDDLE_DAEMON names another place for one", hindrance);
}

Descriptor listen_at(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  make_own_folder(folder);
  // Between the look and the new socket another start would find the same, and remove this one's socket. The folder is
  // locked, and no file in it: its file would stay, and the start in the background has the log locked for itself.
  const Descriptor one_at_a_time(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (one_at_a_time) lock_start(one_at_a_time, folder, base::SteadyClock());
  require_no_daemon(path);
  // What a daemon that was cut off has left; anything else is the user's.
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode))
      base::fail(ErrorCode::io_error, "there can be no socket at {}: a file is there, which is no socket of a daemon",
                 path.string());
    ::unlink(path.c_str());
  }
  return bind_at(path);
}

}  // namespace heddle::daemon
