#include "compile/cache.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <string_view>
#include <system_error>

#include "base/cache_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"

namespace heddle::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "heddle ptx cache 2\n";
constexpr std::size_t checksum_digits = 64;
constexpr const char* extension = ".entry";
// A file that is being written is there for milliseconds; one as old as this was left by a process that was killed.
constexpr std::chrono::hours abandoned_after{1};

std::optional<CacheEntry> decode(std::string_view body) {
  const auto ptx = take_field(body), warnings = take_field(body);
  if (!ptx || !warnings) return {};
  auto lookups = take_lookups(body);
  if (!lookups || !body.empty()) return {};
  return CacheEntry{std::string(*ptx), std::string(*warnings), std::move(*lookups)};
}

std::optional<std::string_view> checked_body(std::string_view file) {
  if (!file.starts_with(magic)) return {};
  file.remove_prefix(magic.size());
  if (file.size() < checksum_digits) return {};
  std::string_view body = file.substr(checksum_digits);
  if (base::sha256_hex(body) != file.substr(0, checksum_digits)) return {};
  return body;
}

// NAME.entry.XXXXXX, half written.
void remove_abandoned(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (it->path().stem().extension() != extension) continue;
    const auto written = it->last_write_time(gone);
    // Of a later time, too: the clock was set back.
    if (!gone && std::chrono::abs(fs::file_time_type::clock::now() - written) > abandoned_after)
      fs::remove(it->path(), gone);
  }
}

}  // namespace

fs::path entry_path(const std::string& key) {
  return base::cache_directory() / "compile" / key.substr(0, 2) / (key.substr(2) + extension);
}

std::optional<CacheEntry> load_entry(const std::string& key) {
  const fs::path path = entry_path(key);
  auto file = base::read_cache_file(path);
  if (!file) return {};
  auto body = checked_body(*file);
  auto entry = body ? decode(*body) : std::nullopt;
  if (!entry) {
    base::log_info("the cached PTX in {} is damaged and will be compiled again", path.string());
    return {};
  }
  if (!still_true(entry->lookups)) return {};
  return entry;
}

bool store_entry(const std::string& key, const CacheEntry& entry) {
  const fs::path path = entry_path(key);
  if (!base::may_use_cache(path.parent_path())) return false;
  std::string body;
  append_field(body, entry.ptx);
  append_field(body, entry.warnings);
  append(body, entry.lookups);
  try {
    base::make_cache(path.parent_path());
    remove_abandoned(path.parent_path());
    base::write_file_atomic(path, std::string(magic) + base::sha256_hex(body) + body);
    return true;
  } catch (const std::exception& error) {
    // Once: the next ones will not be cached for the same reason.
    static std::atomic<bool> said{false};
    if (said.exchange(true))
      base::log_info("compiled PTX is not cached: {}", error.what());
    else
      base::log_warn("compiled PTX is not cached, so that it is compiled each time: {}", error.what());
    return false;
  }
}

}  // namespace heddle::compile
