#include "base/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/system_limits.hpp"
#include "base/variables.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

// Relative paths are passed over, as the XDG base directory specification says: each working folder would have a cache.
const char* folder_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : nullptr;
}

bool is_trusted_owner(uid_t owner) { return owner == ::geteuid() || owner == 0; }

std::string foreign(const fs::path& folder, const char* what, uid_t owner) {
  return fmt::format(
      "the cache folder {} is not used: {} belongs to user {}, not to you (user {}), and what is in it would be "
      "executed. Set HEDDLE_CACHE_DIR to a folder of your own.",
      folder.string(), what, owner, ::geteuid());
}

// A folder that many users share, as /tmp is, must stay as it is: they need it. Who does not own a folder cannot change
// it.
std::string advice(const fs::path& folder, const struct stat& status) {
  if ((status.st_mode & S_ISVTX) != 0)
    return fmt::format("Set HEDDLE_CACHE_DIR to a folder of your own, as {}.",
                       (folder / fmt::format("heddle-{}", ::geteuid())).string());
  if (status.st_uid != ::geteuid()) return "Set HEDDLE_CACHE_DIR to a folder of your own.";
  return fmt::format(
      "After chmod go-w '{}' it is used, if what is in it is yours; or set HEDDLE_CACHE_DIR to another folder.",
      folder.string());
}

// `folder` and what is above it, as far as it lies in the cache directory; outermost first.
std::vector<fs::path> chain(const fs::path& folder) {
  const fs::path normal = folder.lexically_normal();
  fs::path top = cache_directory().lexically_normal();
  if (!top.has_filename()) top = top.parent_path();  // as in /folder/
  const fs::path below = normal.lexically_relative(top);
  if (below.empty() || *below.begin() == "..") return {folder};
  std::vector<fs::path> folders{top};
  fs::path at = top;
  for (const fs::path& part : below) {
    if (part == "." || part.empty()) continue;
    folders.push_back(at /= part);
  }
  return folders;
}

bool trusted(const fs::path& folder, std::string* why = nullptr) {
  const std::string reason = distrust(folder);
  if (reason.empty()) return true;
  if (why != nullptr) *why = reason;
  log_warn_once(reason);  // every part that has a cache would say it again
  return false;
}

bool make_private(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) return false;
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  if (!is_folder) errno = ENOTDIR;
  return is_folder;
}

}  // namespace

fs::path cache_directory() {
  if (const auto own = text_variable("HEDDLE_CACHE_DIR")) return *own;
  if (const char* xdg = folder_variable("XDG_CACHE_HOME")) return fs::path(xdg) / "heddle";
  if (const char* home = folder_variable("HOME")) return fs::path(home) / ".cache" / "heddle";
  std::error_code error;
  fs::path temporary = fs::temp_directory_path(error);
  if (error) temporary = "/tmp";
  return temporary / fmt::format("heddle-{}", ::getuid());
}

std::string distrust(const fs::path& folder) {
  struct stat link{}, status{};
  if (::lstat(folder.c_str(), &link) != 0) return {};
  if (!is_trusted_owner(link.st_uid)) return foreign(folder, S_ISLNK(link.st_mode) ? "the link" : "it", link.st_uid);
  if (::stat(folder.c_str(), &status) != 0) return {};
  if (!is_trusted_owner(status.st_uid)) return foreign(folder, "what the link leads to", status.st_uid);
  if (!S_ISDIR(status.st_mode))
    return fmt::format("the cache folder {} is not used: it is not a folder", folder.string());
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return fmt::format(
      "the cache folder {} is not used: others may write to it (mode {:o}), and what is in it would be "
      "executed. {}",
      folder.string(), status.st_mode & 07777, advice(folder, status));
}

bool may_use_cache(const fs::path& folder) {
  for (const fs::path& each : chain(folder)) {
    if (!trusted(each)) return false;
  }
  return true;
}

std::string distrust_file(const fs::path& file) {
  struct stat link{}, status{};
  if (::lstat(file.c_str(), &link) != 0 || ::stat(file.c_str(), &status) != 0) return {};
  const auto refused = [&](const std::string& why) {
    return fmt::format("{} in the cache is not used: {}, and what is in it would be executed. Remove it.",
                       file.string(), why);
  };
  if (!S_ISREG(status.st_mode)) return refused("it is no regular file");
  for (const uid_t owner : {link.st_uid, status.st_uid})
    if (!is_trusted_owner(owner)) return refused(fmt::format("it belongs to user {}", owner));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return refused(fmt::format("others may write to it (mode {:o})", status.st_mode & 07777));
  return {};
}

std::optional<std::string> read_cache_file(const fs::path& file) {
  try {
    if (!may_use_cache(file.parent_path())) return {};
    if (const std::string why = distrust_file(file); !why.empty()) {
      log_warn_once(why);
      return {};
    }
    return read_file_if_there(file);
  } catch (const std::exception&) {  // no memory
    return {};
  }
}

bool make_cache(const fs::path& folder, std::string* why) {
  const auto refused = [&](const fs::path& missing, const std::string& reason) {
    if (why != nullptr) *why = fmt::format("cannot make the folder {}: {}", missing.string(), reason);
    return false;
  };
  const std::vector<fs::path> folders = chain(folder);
  std::error_code error;
  const fs::path parent = folders.front().parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) return refused(parent, error.message());
  for (const fs::path& each : folders) {
    if (!make_private(each)) return refused(each, system_message(errno));
    if (!trusted(each, why)) return false;
  }
  return true;
}

}  // namespace heddle::base
