#include "base/trace_claim.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/own_descriptor.hpp"
#include "base/print_error.hpp"
#include "base/size_limit_signal.hpp"
#include "base/thread_safety.hpp"
#include "base/variables.hpp"

namespace heddle::base {
namespace {

constexpr std::string_view no_file = "new";
constexpr off_t longest_claim = 1;

std::string state_of(const struct stat& status) {
  return fmt::format("{}:{}:{}:{}:{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

// What the file was before the program began; empty for a claim of another form.
std::string_view state_in(std::string_view claim) {
  const std::size_t colon = claim.find(':');
  return colon == claim.npos ? std::string_view() : claim.substr(colon + 1);
}

// Whether the file at `path` has been moved by a process that writes a new one (replaced_file.hpp).
bool is_replaced(const std::string& path) { return ::access((path + ".heddle-old").c_str(), F_OK) == 0; }

bool is_meant(const struct stat& status, std::string_view state) {
  return state.empty() || state == no_file ? status.st_size == 0 : state == state_of(status);
}

// The library that is loaded into each process need not say that there is no timeline.
void note_use() {
  auto* const tell = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "heddle_open_uses_trace"));
  if (tell != nullptr) tell();
}

// What this process has claimed. A device that could not be opened is opened again at the program's next call.
struct Claims {
  Mutex mutex;
  std::set<std::string> paths HEDDLE_GUARDED_BY(mutex);
  pid_t process HEDDLE_GUARDED_BY(mutex) = 0;  // a child has claimed nothing
};

// Never destroyed: claims are made while the process ends, too.
Claims& claims() {
  static auto* const all = new Claims;
  return *all;
}

bool has_claimed(const std::string& path) {
  Claims& all = claims();
  const Lock lock(all.mutex);
  return all.process == ::getpid() && all.paths.contains(path);
}

void note_claim(const std::string& path) {
  Claims& all = claims();
  const Lock lock(all.mutex);
  if (std::exchange(all.process, ::getpid()) != ::getpid()) all.paths.clear();
  all.paths.insert(path);
}

std::string own_name(const std::string& path) {
  std::filesystem::path own = path;
  own.replace_extension(fmt::format(".{}{}", ::getpid(), own.extension().string()));
  base::print_error("heddle: {} is the timeline of another process of this program; this one's is {}\n", path,
                    own.string());
  return own.string();
}

}  // namespace

std::string claim_of(const std::string& path) {
  struct stat status{};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  return fmt::format("{}:{}", ::getpid(), is_there ? state_of(status) : std::string(no_file));
}

std::string claim_trace(const std::string& path, const std::string& claim) {
  note_use();
  if (has_claimed(path)) return path;
  struct stat status{};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) return path;  // a pipe, /dev/null
  std::string_view state = state_in(claim);
  if (!is_there && !state.empty() && state != no_file) {
    if (is_replaced(path)) return own_name(path);
    state = no_file;  // the program has removed the old one
  }
  // Stays open, and locked, until the process ends or becomes another program.
  const int file = above_standard_files(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (file < 0) return path;
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  const bool taken = locked ? ::fstat(file, &status) == 0 && !is_meant(status, state) : errno == EWOULDBLOCK;
  if (taken) {
    ::close(file);
    return own_name(path);
  }
  // Pictures are written at the end only; until then this says that somebody will.
  if (status.st_size <= longest_claim) {
    const WithoutSizeLimitSignal only_fails;
    [[maybe_unused]] const ssize_t unwritten = ::pwrite(file, "\n", 1, 0);
  }
  note_claim(path);
  return path;
}

std::string trace_of_environment() {
  const std::string file = text_variable("HEDDLE_RUN_TRACE").value_or("");
  const std::string claim = text_variable("HEDDLE_RUN_TRACE_CLAIM").value_or("");
  return claim.empty() || file.empty() ? file : claim_trace(file, claim);
}

}  // namespace heddle::base
