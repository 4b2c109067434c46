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

void write_file_atomic(const std::filesystem::path& name, std::string_view content) {
  if (write_special_file(name, content)) return;
  // A link stays a link: the file that it names is replaced.
  std::error_code ignored;
  const std::filesystem::path path =
      std::filesystem::is_symlink(name, ignored) ? std::filesystem::weakly_canonical(name) : name;
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
  // mkstemp gives 0600; a written file has the usual mode. The umask can only be read by setting it, which is not safe
  // with threads, so the mode of a fresh file is fixed.
  ::fchmod(file.get(), 0644);
  if (!file.close()) fail_system("write", path);
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail_system("write", path);
  leftover.path.clear();
}

void require_folder_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    fail(ErrorCode::not_found, "cannot write {}: there is no folder {}", file.string(), folder.string());
}

}  // namespace heddle::base
