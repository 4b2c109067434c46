#include "base/replaced_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <vector>

#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

constexpr off_t longest_claim = 1;

struct Registry {
  Mutex mutex;
  std::vector<ReplacedFile*> files HEDDLE_GUARDED_BY(mutex);
};

bool is_regular(const fs::path& file) {
  struct stat status{};
  return ::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Never destroyed: files are ended behind the destructors of the program. Needs no memory, which there may be none of
// then.
Registry& registry() {
  alignas(Registry) static std::byte place[sizeof(Registry)];
  static auto* const all = new (place) Registry;
  return *all;
}

// Behind all other functions of this kind, which may still write.
__attribute__((destructor(101))) void end_of_process() { ReplacedFile::end_all(); }

}  // namespace

ReplacedFile::ReplacedFile(const fs::path& path, Old old) noexcept : process_(::getpid()) {
  try {
    std::error_code error;
    // A link stays a link. The program may go to another folder.
    path_ = fs::absolute(fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path, error);
    const fs::path kept = path_.string() + ".heddle-old", part = path_.string() + ".heddle-part";
    struct stat status{};
    const bool is_there = ::stat(path_.c_str(), &status) == 0;
    if (is_there && !S_ISREG(status.st_mode)) return;
    if (is_there) mode_ = status.st_mode & 07777;
    const bool was_cut_off = is_regular(kept);
    fs::path aside = was_cut_off ? part : kept;
    Registry& all = registry();
    const Lock lock(all.mutex);
    all.files.reserve(all.files.size() + 1);
    if (is_there && old == Old::moves && status.st_size > longest_claim) {
      if (::access(path_.c_str(), W_OK) != 0 || ::rename(path_.c_str(), aside.c_str()) != 0) return;
    } else if (!was_cut_off) {
      return;
    } else if (!is_regular(part)) {
      aside = kept;
    }
    if (aside != kept) older_ = kept;
    aside_ = std::move(aside);
    all.files.push_back(this);
  } catch (const std::exception&) {  // no memory
  }
}

ReplacedFile::~ReplacedFile() { settle(); }

int ReplacedFile::opened(const std::function<int()>& open) const {
  if (aside_.empty()) return open();  // it may be a pipe, and wait
  const Lock lock(registry().mutex);
  return open();
}

void ReplacedFile::settle() noexcept {
  Registry& all = registry();
  const Lock lock(all.mutex);
  std::erase(all.files, this);
  end();
}

void ReplacedFile::end() noexcept {
  if (aside_.empty() || process_ != ::getpid()) return;
  if (failed_) {
    ::rename(aside_.c_str(), path_.c_str());
  } else {
    ::unlink(aside_.c_str());
    if (!older_.empty()) ::unlink(older_.c_str());
  }
  aside_.clear();
}

void ReplacedFile::end_all() noexcept {
  Registry& all = registry();
  const Lock lock(all.mutex);
  for (ReplacedFile* const file : all.files) file->end();
  all.files.clear();
}

HEDDLE_NO_THREAD_SAFETY_ANALYSIS void ReplacedFile::restore_all() noexcept {
  registry().mutex.lock();  // for ever
  for (ReplacedFile* const file : registry().files) {
    file->failed_ = true;
    file->end();
  }
}

}  // namespace heddle::base
