#include "device/cpu/object_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/cache_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"

namespace heddle::device::cpu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t magic = 0x34304a424f4c4448ull;  // "HDLOBJ04"
constexpr const char* extension = ".kernel";
// A file that is being written is there for milliseconds; one as old as this was left by a process that was killed.
constexpr std::chrono::hours abandoned_after{1};

struct Header {
  std::uint64_t magic;
  std::uint64_t checksum;  // of everything behind this field
  char key[64];
  std::uint64_t object_bytes;
  std::uint32_t explanation_bytes;
  std::uint32_t shape, width, may_wait, stack_bytes, static_shared_bytes, streamed_bytes, frame_bytes;
};
static_assert(sizeof(Header) == 16 + 64 + 8 + 32);
constexpr std::size_t checked_from = 16;

std::string encode(const std::string& key, const CompiledKernel& kernel) {
  Header header{};
  header.magic = magic;
  std::memcpy(header.key, key.data(), std::min(key.size(), sizeof header.key));
  header.object_bytes = kernel.object.size();
  header.explanation_bytes = static_cast<std::uint32_t>(kernel.explanation.size());
  header.shape = static_cast<std::uint32_t>(kernel.shape);
  header.width = kernel.width;
  header.may_wait = kernel.may_wait ? 1 : 0;
  header.stack_bytes = kernel.stack_bytes;
  header.static_shared_bytes = kernel.static_shared_bytes;
  header.streamed_bytes = kernel.streamed_bytes;
  header.frame_bytes = kernel.frame_bytes;
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file.append(kernel.object.data(), kernel.object.size());
  file += kernel.explanation;
  header.checksum = base::hash64(std::string_view(file).substr(checked_from));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

std::optional<CompiledKernel> decode(const std::string& key, const std::string& file) {
  Header header{};
  if (file.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  const std::size_t rest = file.size() - sizeof header;
  if (header.magic != magic || header.object_bytes > rest || header.explanation_bytes != rest - header.object_bytes ||
      std::string_view(header.key, sizeof header.key) != key ||
      header.checksum != base::hash64(std::string_view(file).substr(checked_from))) {
    return std::nullopt;
  }
  CompiledKernel kernel;
  kernel.shape = static_cast<Shape>(header.shape);
  kernel.width = header.width;
  kernel.may_wait = header.may_wait != 0;
  kernel.stack_bytes = header.stack_bytes;
  kernel.static_shared_bytes = header.static_shared_bytes;
  kernel.streamed_bytes = header.streamed_bytes;
  kernel.frame_bytes = header.frame_bytes;
  const char* object = file.data() + sizeof header;
  kernel.object.assign(object, object + header.object_bytes);
  kernel.explanation.assign(object + header.object_bytes, header.explanation_bytes);
  return kernel;
}

}  // namespace

ObjectCache::ObjectCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

// Two levels, so that no folder grows too large.
fs::path ObjectCache::file_of(const std::string& key) const { return folder_ / key.substr(0, 2) / (key + extension); }

void ObjectCache::complain(std::string_view what) {
  if (complained_.exchange(true)) return;
  base::log_warn("compiled kernels are not cached: {}", what);
}

bool ObjectCache::trusted(const fs::path& file) const {
  return base::may_use_cache(folder_) && base::may_use_cache(file.parent_path());
}

std::optional<CompiledKernel> ObjectCache::load(const std::string& key) {
  const fs::path path = file_of(key);
  if (!trusted(path)) return std::nullopt;
  const std::optional<std::string> file = base::read_cache_file(path);
  if (!file) return std::nullopt;
  std::optional<CompiledKernel> kernel = decode(key, *file);
  if (!kernel) {
    base::log_info("the cached kernel {} is damaged; compiling it again", path.string());
    return std::nullopt;
  }
  std::error_code ignored;  // the time of last use decides what goes first; not knowing it is no harm
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return kernel;
}

void ObjectCache::store(const std::string& key, const CompiledKernel& kernel) {
  const fs::path path = file_of(key);
  if (!trusted(path)) return;
  const std::string file = encode(key, kernel);
  try {
    base::make_cache(folder_);
    base::make_cache(path.parent_path());
    base::write_file_atomic(path, std::string_view(file));
  } catch (const std::exception& error) {
    complain(error.what());
    return;
  }
  const std::lock_guard guard(mutex_);
  stored_since_trim_ += file.size();
  // Looking at every file costs time: once for each device, and then when much has been added.
  if (trimmed_ && stored_since_trim_ < most_bytes_ / 16) return;
  trimmed_ = true;
  stored_since_trim_ = 0;
  trim();
}

void ObjectCache::trim() {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process may be removing it
    if (!it->is_regular_file(gone)) continue;
    const std::uint64_t bytes = it->file_size(gone);
    const auto used = it->last_write_time(gone);
    if (gone) continue;
    if (it->path().extension() != extension) {
      const bool unfinished = it->path().stem().extension() == extension;  // NAME.kernel.XXXXXX
      if (unfinished && std::chrono::abs(fs::file_time_type::clock::now() - used) > abandoned_after)
        fs::remove(it->path(), gone);
      continue;
    }
    entries.push_back({used, bytes, it->path()});
    total += bytes;
  }
  if (total <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  // Somewhat below the bound, or every new entry would start this again.
  const std::uint64_t target = most_bytes_ / 8 * 7;
  for (const Entry& entry : entries) {
    if (total <= target) break;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) total -= entry.bytes;
  }
}

}  // namespace heddle::device::cpu
