#include "base/unfinished_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/own_descriptor.hpp"
#include "base/system_limits.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

struct Registry {
  Mutex mutex;
  std::vector<const UnfinishedFile*> files HEDDLE_GUARDED_BY(mutex);
};

// Never destroyed: a thread may remove files while the process ends.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& start, const std::string& target) : path_(start + ".XXXXXX") {
  Registry& all = registry();
  const Lock lock(all.mutex);
  all.files.reserve(all.files.size() + 1);
  const int made = ::mkostemp(path_.data(), O_CLOEXEC);
  descriptor_ = above_standard_files(made);
  if (descriptor_ < 0) {
    const int error = errno;
    if (made >= 0) ::unlink(path_.c_str());
    fail(ErrorCode::io_error, "cannot write {}: {}", target, system_message(error));
  }
  all.files.push_back(this);
}

UnfinishedFile::~UnfinishedFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  keep();
  if (descriptor_ >= 0) ::close(descriptor_);
}

int UnfinishedFile::take_descriptor() noexcept { return std::exchange(descriptor_, -1); }

void UnfinishedFile::keep() noexcept {
  Registry& all = registry();
  const Lock lock(all.mutex);
  std::erase(all.files, this);
  path_.clear();
}

HEDDLE_NO_THREAD_SAFETY_ANALYSIS void UnfinishedFile::remove_all() noexcept {
  registry().mutex.lock();  // for ever
  for (const UnfinishedFile* const file : registry().files) ::unlink(file->path_.c_str());
}

}  // namespace heddle::base
