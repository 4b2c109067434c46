#include "base/trace_claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/variables.hpp"

namespace heddle::base {

std::string claim_trace(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return path;  // a pipe, /dev/null
  // Stays open, and locked, until the process ends or becomes another program.
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return path;
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  const bool taken = locked ? ::fstat(file, &info) == 0 && info.st_size > 0 : errno == EWOULDBLOCK;
  if (!taken) {
    // Pictures are written at the end only; until then this says that somebody will.
    if (::pwrite(file, "\n", 1, 0) != 1) return path;
    return path;
  }
  ::close(file);
  std::filesystem::path own = path;
  own.replace_extension(fmt::format(".{}{}", ::getpid(), own.extension().string()));
  fmt::print(stderr, "heddle: {} is the timeline of another process of this program; this one's is {}\n", path,
             own.string());
  return own.string();
}

std::string trace_of_environment() {
  const bool claim = truth_variable("HEDDLE_RUN_TRACE_CLAIM").value_or(false);
  const std::string file = text_variable("HEDDLE_RUN_TRACE").value_or("");
  return claim && !file.empty() ? claim_trace(file) : file;
}

}  // namespace heddle::base
