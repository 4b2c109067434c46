#include "base/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/link_target.hpp"
#include "base/memory_limit.hpp"
#include "base/size_limit_signal.hpp"
#include "base/system_limits.hpp"
#include "base/unfinished_file.hpp"

namespace heddle::base {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Closes now and says whether that worked: some file systems report a full disk only here.
  bool close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result == 0;
  }

 private:
  int fd_;
};

[[noreturn]] void fail_system(const char* doing, const std::filesystem::path& path) {
  const int error = errno;
  fail(error == ENOENT ? ErrorCode::not_found : ErrorCode::io_error, "cannot {} {}: {}", doing, path.string(),
       system_message(error));
}

void write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  const WithoutSizeLimitSignal only_fails;
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_system("write", path);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// Without waiting for whoever may write to a pipe.
struct stat open_regular(const std::filesystem::path& path, Descriptor& file) {
  if (file.get() < 0) fail_system("read", path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail_system("read", path);
  if (!S_ISREG(status.st_mode))
    fail(ErrorCode::io_error, "cannot read {}: it is {}; a regular file is expected", path.string(),
         kind_of(status.st_mode));
  return status;
}

int open_to_read(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

[[noreturn]] void fail_length(const std::filesystem::path& path, const std::string& length, std::uint64_t most) {
  fail(ErrorCode::invalid_argument, "cannot read {}: it has {}, and {} is the most that is expected of such a file",
       path.string(), length, format_bytes(most));
}

// Up to the end, or until `content` has more than `most` bytes.
void read_rest(int file, std::string& content, std::uint64_t most, const std::filesystem::path& path) {
  constexpr std::size_t step = 1 << 16;
  while (content.size() <= most) {
    // Sized by what the file said, then in steps: files of /proc and pipes say 0.
    const std::size_t spare = content.capacity() - content.size(), room = spare > 0 ? spare : step;
    const std::size_t before = content.size();
    content.resize(before + room);
    const ssize_t got = ::read(file, content.data() + before, room);
    content.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail_system("read", path);
  }
  fail_length(path, "more", most);
}

[[noreturn]] void fail_memory(const std::filesystem::path& path, std::uint64_t size) {
  fail(ErrorCode::out_of_memory, "cannot read {}: there is no memory for its {}{}", path.string(), format_bytes(size),
       memory_limit_note());
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uint64_t most) {
  Descriptor file(open_to_read(path));
  const auto size = static_cast<std::uint64_t>(open_regular(path, file).st_size);
  if (size > most) fail_length(path, format_bytes(size), most);
  try {
    std::string content;
    content.reserve(static_cast<std::size_t>(size) + 1);
    read_rest(file.get(), content, most, path);
    return content;
  } catch (const std::bad_alloc&) {
    fail_memory(path, size);
  } catch (const std::length_error&) {
    fail_memory(path, size);
  }
}

std::string read_beginning(const std::filesystem::path& path, std::size_t count) {
  Descriptor file(open_to_read(path));
  open_regular(path, file);
  std::string content(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(file.get(), content.data() + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system("read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

void require_regular_file(const std::filesystem::path& path) {
  Descriptor file(open_to_read(path));
  open_regular(path, file);
}

std::string read_standard_input(std::uint64_t most) {
  std::string content;
  read_rest(STDIN_FILENO, content, most, "standard input");
  return content;
}

std::optional<std::string> read_file_if_there(const std::filesystem::path& path, std::uint64_t most) {
  try {
    return read_file(path, most);
  } catch (const Error&) {
    return std::nullopt;
  }
}

int open_special_file(const std::filesystem::path& path) {
  // Not for ever: the process that reads a pipe may never come.
  constexpr int most_looks = 500, pause_ms = 10;
  const auto open_now = [&] { return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); };
  int file = open_now();
  for (int look = 1; file < 0 && errno == ENXIO && look < most_looks; ++look) {
    ::poll(nullptr, 0, pause_ms);
    file = open_now();
  }
  std::error_code ignored;
  const int error = errno;
  if (file < 0 && error == ENXIO && std::filesystem::is_fifo(path, ignored))
    fail(ErrorCode::io_error, "cannot write {}: it is a pipe, and no process reads it", path.string());
  errno = error;
  if (file < 0) fail_system("write", path);
  if (const int flags = ::fcntl(file, F_GETFL); flags >= 0) ::fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
  return file;
}

namespace {

// Devices and pipes keep their name: they are written to.
bool write_special_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return false;
  Descriptor file(open_special_file(path));
  write_all(file.get(), content, path);
  if (!file.close()) fail_system("write", path);
  return true;
}

}  // namespace

namespace {

// The umask can otherwise only be read by setting it, which is not safe with threads.
mode_t umask_of_process() {
  constexpr mode_t usual = 022;
  const auto status = read_file_if_there("/proc/self/status");
  const std::size_t at = status ? status->find("\nUmask:") : std::string::npos;
  return at == std::string::npos
             ? usual
             : static_cast<mode_t>(std::strtoul(status->c_str() + at + std::strlen("\nUmask:"), nullptr, 8));
}

// What becomes of the new file before it takes the old one's name.
using Prepare = std::function<void(int file, const std::filesystem::path& path)>;

void prepare_for_user(int file, const std::filesystem::path& path) {
  struct stat old{};
  if (::stat(path.c_str(), &old) != 0) {
    ::fchmod(file, 0666 & ~umask_of_process());
    return;
  }
  // root may write to files of others, which stay theirs. A change of owner clears bits of the mode.
  if (old.st_uid != ::geteuid() || old.st_gid != ::getegid()) [[maybe_unused]]
    const int kept = ::fchown(file, old.st_uid, old.st_gid);
  ::fchmod(file, old.st_mode & 07777);
}

void replace(const std::filesystem::path& path, std::string_view content, const Prepare& prepare) {
  struct stat old{};
  if (::stat(path.c_str(), &old) == 0 && (S_ISCHR(old.st_mode) || S_ISBLK(old.st_mode)))
    fail(ErrorCode::io_error, "cannot write {}: it is a device", path.string());
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      fail(ErrorCode::io_error, "cannot make the folder {}: {}", path.parent_path().string(), error.message());
    }
  }
  UnfinishedFile temporary(path.string(), path.string());
  Descriptor file(temporary.take_descriptor());
  write_all(file.get(), content, path);
  prepare(file.get(), path);
  if (!file.close()) fail_system("write", path);
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) fail_system("write", path);
  temporary.keep();
}

}  // namespace

void write_file_atomic(const std::filesystem::path& path, std::string_view content,
                       std::filesystem::perms permissions) {
  replace(link_target(path), content,
          [permissions](int file, const std::filesystem::path&) { ::fchmod(file, static_cast<mode_t>(permissions)); });
}

void write_users_file(const std::filesystem::path& path, std::string_view content) {
  if (write_special_file(path, content)) return;
  const std::filesystem::path target = link_target(path);
  if (target != path) require_folder_of(path);
  if (::access(target.c_str(), F_OK) == 0 && ::access(target.c_str(), W_OK) != 0) fail_system("write", path);
  replace(target, content, prepare_for_user);
}

void require_folder_of(const std::filesystem::path& file) {
  std::error_code error;
  // Of a link, where the file that it names would be.
  const std::filesystem::path target = link_target(file), folder = target.parent_path();
  if (std::filesystem::is_directory(target, error))
    fail(ErrorCode::invalid_argument, "cannot write {}: it is a folder; name a file", file.string());
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    fail(ErrorCode::not_found, "cannot write {}: there is no folder {}", file.string(), folder.string());
}

}  // namespace heddle::base
