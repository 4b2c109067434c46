#include "compile/cache.hpp"

#include <sys/stat.h>

#include <charconv>
#include <string_view>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::compile {
namespace {

constexpr std::string_view magic = "heddle ptx cache 1\n";
constexpr std::size_t checksum_digits = 64;

// Fields are written as "<length>\n<bytes>\n", so that no content can be mistaken for structure.
void put(std::string& to, std::string_view field) {
  to += std::to_string(field.size());
  to += '\n';
  to += field;
  to += '\n';
}

std::optional<std::string_view> take(std::string_view& from) {
  std::size_t length = 0;
  auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), length);
  if (error != std::errc{}) return {};
  from.remove_prefix(static_cast<std::size_t>(end - from.data()));
  if (from.size() < 2 || length > from.size() - 2 || from[0] != '\n' || from[length + 1] != '\n') return {};
  std::string_view field = from.substr(1, length);
  from.remove_prefix(length + 2);
  return field;
}

std::optional<CacheEntry> decode(std::string_view body) {
  CacheEntry entry;
  auto ptx = take(body), warnings = take(body);
  if (!ptx || !warnings) return {};
  entry.ptx = *ptx;
  entry.warnings = *warnings;
  while (!body.empty()) {
    auto path = take(body), print = take(body);
    if (!path || !print) return {};
    entry.dependencies.push_back({std::string(*path), std::string(*print)});
  }
  return entry;
}

std::optional<std::string_view> checked_body(std::string_view file) {
  if (!file.starts_with(magic)) return {};
  file.remove_prefix(magic.size());
  if (file.size() < checksum_digits) return {};
  std::string_view body = file.substr(checksum_digits);
  if (base::sha256_hex(body) != file.substr(0, checksum_digits)) return {};
  return body;
}

bool up_to_date(const CacheEntry& entry) {
  for (const Dependency& dependency : entry.dependencies) {
    if (fingerprint(dependency.path) != dependency.fingerprint) return false;
  }
  return true;
}

bool is_system_header(std::string_view path) {
  return path.starts_with("/usr/") && !path.starts_with("/usr/local/") && !path.starts_with("/usr/src/");
}

}  // namespace

std::string fingerprint(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {};
  if (is_system_header(path)) {
    return std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
           std::to_string(info.st_mtim.tv_nsec);
  }
  auto content = base::read_file_if_there(path);
  return content ? base::sha256_hex(*content) : std::string();
}

std::filesystem::path entry_path(const std::string& key) {
  return base::cache_directory() / "compile" / key.substr(0, 2) / (key.substr(2) + ".entry");
}

std::optional<CacheEntry> load_entry(const std::string& key) {
  auto file = base::read_file_if_there(entry_path(key));
  if (!file) return {};
  auto body = checked_body(*file);
  auto entry = body ? decode(*body) : std::nullopt;
  if (!entry) {
    base::log_info("the cached PTX in {} is damaged and will be compiled again", entry_path(key).string());
    return {};
  }
  if (!up_to_date(*entry)) return {};
  return entry;
}

bool store_entry(const std::string& key, const CacheEntry& entry) {
  std::string body;
  put(body, entry.ptx);
  put(body, entry.warnings);
  for (const Dependency& dependency : entry.dependencies) {
    put(body, dependency.path);
    put(body, dependency.fingerprint);
  }
  try {
    base::write_file_atomic(entry_path(key), std::string(magic) + base::sha256_hex(body) + body);
    return true;
  } catch (const std::exception& error) {
    base::log_info("compiled PTX is not cached: {}", error.what());
    return false;
  }
}

}  // namespace heddle::compile
