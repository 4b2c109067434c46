#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/fail.hpp"

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
       std::strerror(error));
}

void write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_system("write", path);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Removes the temporary file unless the rename has taken it.
struct Leftover {
  std::string path;
  ~Leftover() {
    if (!path.empty()) ::unlink(path.c_str());
  }
};

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_system("read", path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail_system("read", path);
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::io_error, "cannot read {}: it is a folder", path.string());
  std::string content;
  content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  constexpr std::size_t step = 1 << 16;
  for (;;) {
    // Sized by what the file said, then in steps: files of /proc and pipes say 0.
    const std::size_t room = std::max(content.capacity() - content.size(), step);
    const std::size_t before = content.size();
    content.resize(before + room);
    const ssize_t got = ::read(file.get(), content.data() + before, room);
    content.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return content;
    if (got < 0 && errno != EINTR) fail_system("read", path);
  }
}

std::optional<std::string> read_file_if_there(const std::filesystem::path& path) {
  try {
    return read_file(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

namespace {

// Devices and pipes keep their name: they are written to.
bool write_special_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return false;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail_system("write", path);
  write_all(file.get(), content, path);
  if (!file.close()) fail_system("write", path);
  return true;
}

}  // namespace

namespace {

// A link stays a link: the file that it names is replaced, or made.
std::filesystem::path target_of(std::filesystem::path path) {
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
using Prepare = void (*)(int file, const std::filesystem::path& path);

void prepare_for_cache(int file, const std::filesystem::path&) { ::fchmod(file, 0644); }

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

void replace(const std::filesystem::path& path, std::string_view content, Prepare prepare) {
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      fail(ErrorCode::io_error, "cannot make the folder {}: {}", path.parent_path().string(), error.message());
    }
  }
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    const int error = errno;
    fail(ErrorCode::io_error, "cannot write {}: {}", path.string(), std::strerror(error));
  }
  Leftover leftover{temporary};
  write_all(file.get(), content, path);
  prepare(file.get(), path);
  if (!file.close()) fail_system("write", path);
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail_system("write", path);
  leftover.path.clear();
}

}  // namespace

void write_file_atomic(const std::filesystem::path& path, std::string_view content) {
  if (!write_special_file(path, content)) replace(target_of(path), content, prepare_for_cache);
}

void write_users_file(const std::filesystem::path& path, std::string_view content) {
  if (write_special_file(path, content)) return;
  const std::filesystem::path target = target_of(path);
  if (::access(target.c_str(), F_OK) == 0 && ::access(target.c_str(), W_OK) != 0) fail_system("write", path);
  replace(target, content, prepare_for_user);
}

void require_folder_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    fail(ErrorCode::not_found, "cannot write {}: there is no folder {}", file.string(), folder.string());
}

}  // namespace heddle::base
