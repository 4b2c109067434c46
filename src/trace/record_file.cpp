#include "trace/record_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_descriptor.hpp"

namespace heddle::trace {
namespace {

base::FileIdentity identity_of(int descriptor) noexcept {
  struct stat status{};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

// The program may go to another folder.
std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code unknown;
  return path.empty() ? path : std::filesystem::absolute(path, unknown);
}

}  // namespace

RecordFile::RecordFile(int descriptor, const std::filesystem::path& path)
    : path_(absolute_path(path)), descriptor_(descriptor), identity_(identity_of(descriptor)) {
  if (void* const made = ::mmap(nullptr, 1, PROT_NONE, MAP_SHARED, descriptor, 0); made != MAP_FAILED) mapping_ = made;
}

RecordFile::~RecordFile() {
  if (is_own()) ::close(descriptor_);
  if (mapping_ != nullptr) ::munmap(mapping_, 1);
}

bool RecordFile::is_own() const noexcept { return descriptor_ >= 0 && identity_of(descriptor_) == identity_; }

bool RecordFile::is_open() noexcept {
  if (!is_own()) open_again();
  return descriptor_ >= 0;
}

bool RecordFile::is_in_place() const noexcept {
  struct stat status{};
  return !path_.empty() && ::stat(path_.c_str(), &status) == 0 &&
         base::FileIdentity{status.st_dev, status.st_ino} == identity_;
}

// What has the number now is the program's, and stays open.
void RecordFile::open_again() noexcept {
  descriptor_ = -1;
  if (!is_in_place()) return;
  int file = base::above_standard_files(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (file < 0) file = base::above_standard_files(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (identity_of(file) == identity_)
    descriptor_ = file;
  else if (file >= 0)
    ::close(file);
}

}  // namespace heddle::trace
