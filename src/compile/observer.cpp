#include "compile/observer.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/clock.hpp"

namespace heddle::compile {
namespace {

// Folders that clang searches for installations of gcc, whose C++ library it takes.
constexpr const char* compiler_folders[] = {"/usr/lib/gcc", "/usr/lib64/gcc", "/usr/lib32/gcc", "/usr/lib/gcc-cross",
                                            "/opt/rh"};

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty() || name.starts_with('/')) return without_dot(name);
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

// The name by which `path` lies in `folder`; empty when it does not.
std::string name_in(const std::string& path, const std::string& folder) {
  if (folder.empty()) return path.starts_with('/') ? std::string() : path;
  const std::size_t size = folder.size();
  if (!path.starts_with(folder)) return {};
  if (folder.ends_with('/')) return path.substr(size);
  return path.size() > size && path[size] == '/' ? path.substr(size + 1) : std::string();
}

std::vector<std::string> plain(std::vector<std::string> folders) {
  for (std::string& folder : folders) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    folder = folder == "." ? std::string() : without_dot(folder);
  }
  return folders;
}

bool is_later(timespec a, timespec b) { return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec; }

bool is_below(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return path == folder || path.starts_with(folder + '/'); });
}

// Changed at `start` or later, as far as the file's time can tell: some file systems keep whole or even seconds only.
bool is_recent(const struct stat& info, timespec start) {
  const timespec changed = info.st_ctim;
  if (changed.tv_nsec == 0) return changed.tv_sec + 2 >= start.tv_sec;
  return !is_later(start, changed);
}

}  // namespace

timespec start_of_observation() {
  timespec first{}, now{};
  ::clock_gettime(CLOCK_REALTIME, &first);
  // The clock moves on within milliseconds, unless it is set back meanwhile.
  constexpr std::uint64_t patience_ns = 100'000'000;
  const base::SteadyClock steady;
  const std::uint64_t end_ns = steady.now_ns() + patience_ns;
  do {
    const timespec pause{0, 200'000};
    ::nanosleep(&pause, nullptr);
    // File times are taken from this clock, which moves in steps, or from the finer one.
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  } while (!is_later(now, first) && steady.now_ns() < end_ns);
  return now;
}

std::string without_dot(std::string path) {
  while (path.starts_with("./")) path.erase(0, path.find_first_not_of('/', 1));
  return path;
}

std::string folder_of(const std::string& path) {
  const std::string plain_path = without_dot(path);
  const std::size_t slash = plain_path.rfind('/');
  if (slash == plain_path.npos) return {};
  return slash == 0 ? "/" : plain_path.substr(0, slash);
}

Observer::Observer(const SearchPath& path, timespec start, std::vector<std::string> own)
    : quoted_(plain(path.quoted)), angled_(plain(path.angled)), start_(start), own_(std::move(own)) {
  for (const auto& list : {quoted_, angled_, plain(path.doubled)}) expect_folders(list, true);
  expect_folders(plain(path.missing), false);
}

// These clang searched, or passed over since they were not there.
void Observer::expect_folders(const std::vector<std::string>& folders, bool there) {
  std::error_code ignored;
  for (const std::string& folder : folders) {
    if (is_own(folder)) continue;
    folder_index(folder);
    if (std::filesystem::is_directory(folder.empty() ? "." : folder, ignored) != there) {
      doubt(folder + (there ? " has gone" : " has just been made"));
    }
  }
}

void Observer::know(const Lookups& lookups) {
  for (const Lookups::Place& place : lookups.places) {
    const std::string& folder = lookups.folders[place.folder].path;
    answers_.emplace(Key(folder_index(folder), place.name), place.state);
    if (place.state != absent && place.state != present) read_.insert(joined(folder, place.name));
  }
  for (const Lookups::Folder& folder : lookups.folders) folder_index(folder.path);
}

void Observer::trust_times_below(const std::string& folder) { steady_.push_back(folder); }

// A gcc that is installed later may have a newer C++ library, which clang then takes.
void Observer::list_compilers() {
  namespace fs = std::filesystem;
  for (const char* root : compiler_folders) {
    listings_.push_back({root, listing(root)});
    std::error_code error;
    for (fs::directory_iterator triple(root, error), end; !error && triple != end; triple.increment(error)) {
      listings_.push_back({triple->path().string(), listing(triple->path().string())});
      std::error_code no_folder;
      for (fs::directory_iterator version(triple->path(), no_folder); !no_folder && version != end;
           version.increment(no_folder)) {
        answer(version->path().string(), "crtbegin.o");
      }
    }
  }
}

void Observer::read(const std::string& path) {
  const std::string plain_path = without_dot(path);
  if (is_own(plain_path) || !read_.insert(plain_path).second) return;
  if (path.find('\n') != path.npos) doubt("a file name has a line end in it");
  std::string& state = answers_[key_of(plain_path)];
  state = sure_state(plain_path, is_steady(plain_path) ? "t" : fingerprint(plain_path));
  if (state == absent) doubt(plain_path + " has gone");
}

void Observer::asked(const std::string& path, bool there) {
  const std::string plain_path = without_dot(path);
  if (is_own(plain_path)) return;
  std::string& state = answers_[key_of(plain_path)];
  if (state.empty()) state = sure_state(plain_path, present);
  if ((state != absent) != there) doubt(plain_path + (there ? " has gone" : " has just been made"));
}

void Observer::look_up(const Mentions& mentions, const std::string& folder) {
  if (!mentions.unknowable.empty()) doubt("a source uses " + mentions.unknowable);
  for (const Mention& mention : mentions.names) look_up(mention, folder);
  if (mentions.computed_include) look_up_names_of_all_read(folder);
}

std::optional<Lookups> Observer::finish(std::string& reason) {
  Lookups lookups;
  lookups.listings = listings_;
  timespec now{};
  if (::clock_gettime(CLOCK_REALTIME, &now) == 0 && is_later(start_, now)) doubt("the clock was set back");
  shorten();
  for (const std::string& folder : folders_) lookups.folders.push_back({folder});
  for (const auto& [key, state] : answers_) lookups.places.push_back({key.first, key.second, state});
  if (!identify(lookups)) doubt("a file has come or gone");
  reason = doubt_;
  if (!doubt_.empty()) return {};
  return lookups;
}

std::uint32_t Observer::folder_index(const std::string& path) {
  const auto [at, added] = folder_indices_.try_emplace(path, static_cast<std::uint32_t>(folders_.size()));
  if (added) folders_.push_back(path);
  return at->second;
}

// Under the longest of the search folders that it lies in, so that few folders hold many files.
Observer::Key Observer::key_of(const std::string& path) {
  const std::string* best = nullptr;
  for (const std::string& folder : angled_) {
    if (!folder.empty() && !name_in(path, folder).empty() && (!best || folder.size() > best->size())) best = &folder;
  }
  if (best) return {folder_index(*best), name_in(path, *best)};
  const std::string folder = folder_of(path);
  return {folder_index(folder), name_in(path, folder)};
}

const std::string& Observer::answer(const std::string& folder, const std::string& name) {
  std::string& state = answers_[{folder_index(folder), name}];
  if (state.empty()) state = sure_state(joined(folder, name), present);
  return state;
}

std::string Observer::sure_state(const std::string& path, std::string_view like) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode) && is_recent(info, start_)) {
    doubt(path + " has just been written");
  }
  return state_of(path, like);
}

void Observer::look_up(const Mention& mention, const std::string& folder) {
  if (mention.name.starts_with('/')) {
    answer("", mention.name);
    return;
  }
  std::vector<const std::string*> folders;
  if (mention.quoted) {
    folders.push_back(&folder);
    for (const std::string& each : quoted_) folders.push_back(&each);
  }
  const std::size_t first_angled = folders.size();
  for (const std::string& each : angled_) folders.push_back(&each);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const bool own = is_own(*folders[i]);
    const bool there = own ? state_of(joined(*folders[i], mention.name), present) != absent
                           : answer(*folders[i], mention.name) != absent;
    if (!there || mention.next) continue;
    if (!own && i >= first_angled) check_order(mention, i - first_angled);
    return;
  }
}

// Had the file that lies under the name now been there before, then clang would not have read one in a later folder.
void Observer::check_order(const Mention& mention, std::size_t found) {
  if (read_.count(joined(angled_[found], mention.name)) != 0) return;
  for (std::size_t i = found + 1; i < angled_.size(); ++i) {
    const std::string later = joined(angled_[i], mention.name);
    if (read_.count(later) != 0) doubt(later + " was read, although " + angled_[found] + " has a file of that name");
  }
}

// What a macro named was among the files that were read, or the compilation would have failed.
void Observer::look_up_names_of_all_read(const std::string& folder) {
  const std::set<std::string> files = read_;
  for (const std::string& file : files) {
    for (const auto* list : {&quoted_, &angled_}) {
      for (const std::string& each : *list) {
        const std::string name = name_in(file, each);
        if (!name.empty()) look_up(Mention{name, true}, folder);
      }
    }
  }
}

// Where a folder has no folder bits, one answer stands for all the names bits/...: asking costs a microsecond each.
void Observer::shorten() {
  std::map<Key, std::string> shorter;
  std::map<Key, bool> is_folder;
  std::error_code ignored;
  for (const auto& [key, state] : answers_) {
    Key answered = key;
    std::string answer = state;
    for (std::size_t end = 0; state == absent && (end = key.second.find('/', end + 1)) != key.second.npos;) {
      const Key parent(key.first, key.second.substr(0, end));
      const auto [known, fresh] = is_folder.try_emplace(parent, false);
      if (fresh) known->second = std::filesystem::is_directory(joined(folders_[key.first], parent.second), ignored);
      if (known->second) continue;
      answered = parent;
      answer = no_folder;
      break;
    }
    shorter[answered] = answer;
  }
  answers_ = std::move(shorter);
}

bool Observer::is_own(const std::string& path) const { return is_below(path, own_); }
bool Observer::is_steady(const std::string& path) const { return is_below(path, steady_); }

void Observer::doubt(const std::string& reason) {
  if (doubt_.empty()) doubt_ = reason;
}

}  // namespace heddle::compile
