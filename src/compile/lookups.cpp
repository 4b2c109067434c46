#include "compile/lookups.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "base/file.hpp"
#include "base/hash.hpp"

namespace heddle::compile {
namespace {

// Which file or folder it is, whatever its name.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const Identity&) const = default;
};
struct IdentityHash {
  std::size_t operator()(const Identity& identity) const {
    return static_cast<std::size_t>(identity.inode * 0x9e3779b97f4a7c15ull ^ identity.device);
  }
};

// The first index at which each identity was seen.
class Identities {
 public:
  explicit Identities(std::size_t count) { first_.reserve(count); }
  std::uint32_t first(const struct stat& info, std::uint32_t index) {
    return first_.try_emplace({info.st_dev, info.st_ino}, index).first->second;
  }

 private:
  std::unordered_map<Identity, std::uint32_t, IdentityHash> first_;
};

// A record's folders, open, so that a file in one is found without walking the folder's path again.
class OpenFolders {
 public:
  explicit OpenFolders(const Lookups& lookups) {
    for (const Lookups::Folder& folder : lookups.folders) {
      const int opened = ::open(folder.path.empty() ? "." : folder.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (opened < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) unknown_ = true;
      descriptors_.push_back(opened);
    }
  }
  ~OpenFolders() {
    for (int descriptor : descriptors_) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  OpenFolders(const OpenFolders&) = delete;
  OpenFolders& operator=(const OpenFolders&) = delete;

  // Whether it is not known of a folder if it is there: no descriptor was left, as an example.
  bool unknown() const { return unknown_; }
  bool folder(std::uint32_t index, struct stat& info) const {
    return descriptors_[index] >= 0 && ::fstat(descriptors_[index], &info) == 0;
  }
  // What the place has a say on: a folder for no_folder, else a file.
  bool find(const Lookups::Place& place, struct stat& info) const {
    return descriptors_[place.folder] >= 0 &&
           ::fstatat(descriptors_[place.folder], place.name.c_str(), &info, 0) == 0 &&
           S_ISDIR(info.st_mode) == (place.state == no_folder);
  }

 private:
  std::vector<int> descriptors_;
  bool unknown_ = false;
};

bool says_nothing_is_there(const Lookups::Place& place) { return place.state == absent || place.state == no_folder; }

bool is_system_header(const std::string& path) {
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  return plain.starts_with("/usr/") && !plain.starts_with("/usr/local/") && !plain.starts_with("/usr/src/");
}

std::string size_and_time(const struct stat& info) {
  return 't' + std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
         std::to_string(info.st_mtim.tv_nsec);
}

std::string content_hash(const std::string& path) {
  const auto content = base::read_file_if_there(path);
  return content ? 'c' + base::sha256_hex(*content) : absent;
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || name.starts_with('/') ? name : folder + '/' + name;
}

std::optional<std::uint32_t> take_number(std::string_view& from) {
  const auto field = take_field(from);
  std::uint32_t value = 0;
  if (!field || field->empty()) return {};
  const auto [end, error] = std::from_chars(field->data(), field->data() + field->size(), value);
  if (error != std::errc{} || end != field->data() + field->size()) return {};
  return value;
}

bool take_folder(std::string_view& from, Lookups& lookups) {
  const auto path = take_field(from);
  const auto same = take_number(from);
  if (!path || !same) return false;
  lookups.folders.push_back({std::string(*path), *same});
  return true;
}

bool take_place(std::string_view& from, Lookups& lookups) {
  const auto folder = take_number(from);
  const auto name = take_field(from), state = take_field(from);
  if (!folder || !name || !state || *folder >= lookups.folders.size()) return false;
  lookups.places.push_back({*folder, std::string(*name), std::string(*state)});
  if (says_nothing_is_there(lookups.places.back())) return true;
  const auto same = take_number(from);
  if (!same) return false;
  lookups.places.back().same = *same;
  return true;
}

bool take_listing(std::string_view& from, Lookups& lookups) {
  const auto path = take_field(from), names = take_field(from);
  if (!path || !names) return false;
  lookups.listings.push_back({std::string(*path), std::string(*names)});
  return true;
}

bool folders_still_true(const Lookups& lookups, const OpenFolders& open) {
  Identities identities(lookups.folders.size());
  for (std::uint32_t i = 0; i < lookups.folders.size(); ++i) {
    struct stat info{};
    const std::uint32_t same = open.folder(i, info) ? identities.first(info, i) : Lookups::none;
    if (same != lookups.folders[i].same) return false;
  }
  return true;
}

bool places_still_true(const Lookups& lookups, const OpenFolders& open) {
  Identities identities(256);
  for (std::uint32_t i = 0; i < lookups.places.size(); ++i) {
    const Lookups::Place& place = lookups.places[i];
    struct stat info{};
    const bool found = open.find(place, info);
    if (found == says_nothing_is_there(place)) return false;
    if (!found) continue;
    if (identities.first(info, i) != place.same) return false;
    const char kind = place.state[0];
    if (kind == 't' && size_and_time(info) != place.state) return false;
    if (kind == 'c' && content_hash(joined(lookups.folders[place.folder].path, place.name)) != place.state)
      return false;
  }
  return true;
}

}  // namespace

std::string state_of(const std::string& path, std::string_view like) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return absent;
  if (like == absent || like == present) return present;
  return like.starts_with('t') ? size_and_time(info) : content_hash(path);
}

std::string fingerprint(const std::string& path) { return state_of(path, is_system_header(path) ? "t" : "c"); }

std::string listing(const std::string& path) {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return {};
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder)) names.emplace_back(entry->d_name);
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) append_field(text, name);
  return base::sha256_hex(text);
}

bool identify(Lookups& lookups) {
  const OpenFolders open(lookups);
  if (open.unknown()) return false;
  Identities folders(lookups.folders.size()), files(256);
  struct stat info{};
  for (std::uint32_t i = 0; i < lookups.folders.size(); ++i) {
    lookups.folders[i].same = open.folder(i, info) ? folders.first(info, i) : Lookups::none;
  }
  for (std::uint32_t i = 0; i < lookups.places.size(); ++i) {
    Lookups::Place& place = lookups.places[i];
    const bool found = open.find(place, info);
    if (found == says_nothing_is_there(place)) return false;
    place.same = found ? files.first(info, i) : Lookups::none;
  }
  return true;
}

bool still_true(const Lookups& lookups) {
  for (const Lookups::Listing& each : lookups.listings) {
    if (listing(each.path) != each.names) return false;
  }
  const OpenFolders open(lookups);
  return !open.unknown() && folders_still_true(lookups, open) && places_still_true(lookups, open);
}

void append(std::string& to, const Lookups& lookups) {
  for (const std::size_t count : {lookups.folders.size(), lookups.places.size(), lookups.listings.size()}) {
    append_field(to, std::to_string(count));
  }
  for (const Lookups::Folder& folder : lookups.folders) {
    append_field(to, folder.path);
    append_field(to, std::to_string(folder.same));
  }
  for (const Lookups::Place& place : lookups.places) {
    append_field(to, std::to_string(place.folder));
    append_field(to, place.name);
    append_field(to, place.state);
    if (!says_nothing_is_there(place)) append_field(to, std::to_string(place.same));
  }
  for (const Lookups::Listing& each : lookups.listings) {
    append_field(to, each.path);
    append_field(to, each.names);
  }
}

std::optional<Lookups> take_lookups(std::string_view& from) {
  const auto folders = take_number(from), places = take_number(from), listings = take_number(from);
  if (!folders || !places || !listings) return {};
  Lookups lookups;
  for (std::uint32_t i = 0; i < *folders; ++i) {
    if (!take_folder(from, lookups)) return {};
  }
  for (std::uint32_t i = 0; i < *places; ++i) {
    if (!take_place(from, lookups)) return {};
  }
  for (std::uint32_t i = 0; i < *listings; ++i) {
    if (!take_listing(from, lookups)) return {};
  }
  return lookups;
}

}  // namespace heddle::compile
