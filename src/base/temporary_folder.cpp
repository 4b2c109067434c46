#include "base/temporary_folder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "base/fail.hpp"
#include "base/system_limits.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "heddle-";
constexpr std::size_t random_part = 7;  // ".XXXXXX"

int open_folder(const fs::path& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

bool is_name(const std::string& name, std::string_view start) {
  return name.starts_with(start) && name.size() == start.size() + random_part && name[start.size()] == '.';
}

// Ours, made by create(), and still at this name.
bool is_our_folder(int descriptor, const fs::path& path) {
  struct stat here{}, there{};
  return ::fstat(descriptor, &here) == 0 && ::lstat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev && S_ISDIR(here.st_mode) && here.st_uid == ::geteuid() &&
         (here.st_mode & 07777) == 0700;
}

// Those that nobody holds. The lock is kept while removing, so that an owner who comes between making and locking its
// folder waits, and then sees that it is gone.
void remove_abandoned(const fs::path& parent, const std::string& start) {
  std::vector<fs::path> candidates;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    if (is_name(it->path().filename().string(), start)) candidates.push_back(it->path());
  }
  for (const fs::path& path : candidates) {
    const int descriptor = open_folder(path);
    if (descriptor < 0) continue;
    std::error_code ignored;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_our_folder(descriptor, path)) fs::remove_all(path, ignored);
    ::close(descriptor);
  }
}

// Held while there is a folder that is not yet open, which remove_all() would not find. Never destroyed: a thread may
// remove folders while the process ends.
Mutex& making() {
  static auto* const mutex = new Mutex;
  return *mutex;
}

// Makes the folder, puts its name in place of the template's, and returns a descriptor; -1 if it is gone already.
int make_open(std::string& name, const fs::path& parent) {
  const Lock lock(making());
  if (!::mkdtemp(name.data())) {
    fail(ErrorCode::io_error, "Cannot make a temporary folder in {}: {}. Set TMPDIR to a folder that can be written.",
         parent.string(), system_message(errno));
  }
  const int descriptor = open_folder(name);
  if (const int error = errno; descriptor < 0 && error != ENOENT) {
    ::rmdir(name.c_str());
    fail(ErrorCode::io_error, "Cannot use a temporary folder in {}: {}", parent.string(), system_message(error));
  }
  return descriptor;
}

}  // namespace

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
  if (lock_ >= 0) ::close(lock_);
  if (error) fs::remove_all(path_, error);  // the lock's descriptor may have been the one that was lacking
}

// False when another process took the folder for abandoned before it was locked.
bool TemporaryFolder::try_create(const fs::path& parent, std::string_view purpose) {
  std::string name = (parent / fmt::format("{}{}.XXXXXX", prefix, purpose)).string();
  const int descriptor = make_open(name, parent);
  while (descriptor >= 0 && ::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
  if (descriptor < 0 || !is_our_folder(descriptor, name)) {
    const Lock lock(making());  // remove_all() may be looking at it
    if (descriptor >= 0) ::close(descriptor);
    return false;
  }
  lock_ = descriptor;
  path_ = name;
  return true;
}

void TemporaryFolder::create(const fs::path& parent, std::string_view purpose) {
  remove_abandoned(parent, fmt::format("{}{}", prefix, purpose));
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (try_create(parent, purpose)) return;
  }
  fail(ErrorCode::io_error, "Cannot make a temporary folder in {}: each one is removed at once.", parent.string());
}

void TemporaryFolder::create(std::string_view purpose) {
  std::error_code missing;
  fs::path parent = fs::temp_directory_path(missing);
  create(missing ? "/tmp" : parent, purpose);
}

// A folder is this process's when this process has it open, so no list of them need be kept.
HEDDLE_NO_THREAD_SAFETY_ANALYSIS void TemporaryFolder::remove_all() {
  making().lock();  // for ever
  std::vector<fs::path> open;
  std::error_code error;
  for (fs::directory_iterator it("/proc/self/fd", error), end; !error && it != end; it.increment(error)) {
    std::error_code closed;
    const fs::path target = fs::read_symlink(it->path(), closed);
    const std::string name = target.filename().string();
    if (closed || !name.starts_with(prefix) || name.size() <= random_part) continue;
    const int descriptor = std::atoi(it->path().filename().c_str());
    if (name[name.size() - random_part] == '.' && is_our_folder(descriptor, target)) open.push_back(target);
  }
  // Another thread may remove the folder at the same time, and a compiler that got a signal may still write to it:
  // each of them makes an attempt fail.
  constexpr int most_attempts = 50, pause_ms = 4;
  for (const fs::path& path : open) {
    std::error_code ignored;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      fs::remove_all(path, ignored);
      if (!fs::exists(path, ignored)) break;
      ::poll(nullptr, 0, pause_ms);
    }
  }
}

}  // namespace heddle::base
