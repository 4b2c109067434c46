#include "device/sim/record/record_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/size_limit_signal.hpp"
#include "base/system_limits.hpp"

namespace heddle::device::sim {

namespace {

// What a user keeps there must not be lost.
void refuse_other_file(const std::string& path, std::string_view what, std::string_view mark) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown) || std::filesystem::file_size(path, unknown) == 0) return;
  constexpr std::size_t some = 64 * 1024;
  if (base::read_beginning(path, some).find(mark) != std::string::npos) return;
  base::fail(
      ErrorCode::invalid_argument,
      "{}={}: the {} would replace this file, which is no {} of a simulated device; name another file, or remove "
      "this one. Nothing was written.",
      what, path, what, what);
}

// Before anything is simulated.
void require_writable(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const char* const parent = folder.empty() ? "." : folder.c_str();
  const bool is_there = ::access(path.c_str(), F_OK) == 0;
  if (::access(is_there ? path.c_str() : parent, is_there ? W_OK : W_OK | X_OK) != 0)
    base::fail(ErrorCode::io_error, "cannot write '{}': {}", path, std::strerror(errno));
}

bool is_special(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

std::string RecordFile::checked(const std::string& name, std::string_view what, std::string_view mark) {
  std::string path = name;
  if (const std::size_t at = path.find("%p"); at != path.npos) path.replace(at, 2, std::to_string(::getpid()));
  base::require_folder_of(path);
  refuse_other_file(path, what, mark);
  if (!is_special(path)) require_writable(path);
  return path;
}

RecordFile::RecordFile(const std::string& name, std::string_view what, std::string_view mark, std::string begin)
    : path_(checked(name, what, mark)), pending_(std::move(begin)) {
  if (!is_special(path_)) return;
  old_.emplace(path_);
  file_ = base::open_special_file(path_);
}

RecordFile::~RecordFile() {
  if (file_ >= 0) ::close(file_);
}

void RecordFile::open() {
  if (file_ >= 0) return;
  old_.emplace(path_);
  is_new_ = ::access(path_.c_str(), F_OK) != 0;
  file_ = old_->opened([&] { return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, old_->mode()); });
  old_->set_failed(file_ < 0);
  if (file_ < 0) base::fail(ErrorCode::io_error, "cannot write '{}': {}", path_, base::system_message(errno));
}

void RecordFile::write(std::string_view text, std::uint64_t at) {
  const base::WithoutSizeLimitSignal only_fails;
  while (!text.empty()) {
    ssize_t done = ::pwrite(file_, text.data(), text.size(), static_cast<off_t>(at));
    if (done < 0 && errno == ESPIPE) done = ::write(file_, text.data(), text.size());  // a pipe or a terminal
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      const int error = errno;
      old_->set_failed(true);
      if (is_new_ && end_ == 0) ::unlink(path_.c_str());  // nothing has been written
      base::fail(ErrorCode::io_error, "cannot write '{}': {}", path_, std::strerror(error));
    }
    text.remove_prefix(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

void RecordFile::add(std::string_view text, std::string_view tail) {
  open();
  pending_ += text;
  write(pending_ + std::string(tail), end_);
  end_ += pending_.size();
  pending_.clear();
}

}  // namespace heddle::device::sim
