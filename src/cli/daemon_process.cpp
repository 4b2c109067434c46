#include "cli/daemon_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/algorithm/string.hpp>
#include <cerrno>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/spawn_attributes.hpp"
#include "base/system_limits.hpp"
#include "daemon/client.hpp"
#include "daemon/listener.hpp"
#include "daemon/pause.hpp"
#include "daemon/socket.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t patience_ns = 60'000'000'000, step_ns = 5'000'000;

constexpr std::string_view first_words = "heddle daemon";  // of each log

// Where the log is to be there is another file: the log of an earlier daemon is replaced, and nothing else.
[[noreturn]] void refuse(const std::filesystem::path& log) {
  base::fail(ErrorCode::io_error,
             "the daemon's messages would replace {}, which is no log of a daemon; remove it, or name another socket "
             "by HEDDLE_DAEMON",
             log.string());
}

void check_kind(const std::filesystem::path& log) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(log, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) refuse(log);
}

// With the lock: another start may be about to write it.
void check_words(const std::filesystem::path& log) {
  const std::string words = base::read_beginning(log, 4096);
  if (!words.empty() && !words.starts_with(first_words)) refuse(log);
}

[[noreturn]] void refuse_writing(const std::filesystem::path& log) {
  base::fail(ErrorCode::io_error, "the daemon's messages cannot be written to {}: {}", log.string(),
             base::system_message(errno));
}

// Before the daemon writes: one that ends with nothing but an error also leaves a log that the next replaces.
void begin(const daemon::Descriptor& file, const std::filesystem::path& log) {
  const std::string line = std::string(first_words) + "\n";
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size()))
    refuse_writing(log);
}

// Of starts at one place, one at a time: the others would write into the log of the daemon that is started, and two
// daemons could take each other's socket away. Ends with the descriptor.
daemon::Descriptor lock(const std::filesystem::path& log, const base::Clock& clock) {
  daemon::Descriptor file(::open(log.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) refuse_writing(log);
  if (!daemon::lock_start(file, log, clock))
    base::fail(ErrorCode::io_error, "{} cannot be locked: {}", log.string(), base::system_message(errno));
  return file;
}

// Returns the process. It has a session of its own, so that no signal of this terminal reaches it.
pid_t spawn(const std::vector<std::string>& arguments, const std::filesystem::path& log) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&files, 1, 2);
  const base::SpawnAttributes attributes(POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, attributes.get(), words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    base::fail(error == ENOMEM ? ErrorCode::out_of_memory : ErrorCode::io_error, "the daemon cannot be started: {}{}",
               base::system_message(error), error == EAGAIN ? base::thread_limit_note() : "");
  return pid;
}

// Without those of begin() and the program's name.
std::string words_of(const std::filesystem::path& log) {
  std::string words = base::read_file(log);
  for (const std::string_view before : {first_words, std::string_view("heddle: ")}) {
    boost::trim(words);
    if (words.starts_with(before)) words.erase(0, before.size());
  }
  return boost::trim_copy(words);
}

}  // namespace

void start_in_background(const std::vector<std::string>& arguments, const std::filesystem::path& socket,
                         const std::filesystem::path& log) {
  const base::SteadyClock clock;
  check_kind(log);
  const daemon::Descriptor one_at_a_time = lock(log, clock);
  daemon::require_no_daemon(socket);
  check_words(log);
  begin(one_at_a_time, log);
  const pid_t pid = spawn(arguments, log);
  const std::uint64_t end = clock.now_ns() + patience_ns;
  while (clock.now_ns() < end) {
    if (daemon::runs_at(socket)) return;
    if (::waitpid(pid, nullptr, WNOHANG) == pid)
      base::fail(ErrorCode::io_error, "the daemon has ended: {}", words_of(log));
    daemon::pause(clock, step_ns);
  }
  base::fail(ErrorCode::io_error, "the daemon does not answer; {} has its messages", log.string());
}

void wait_until_gone(const std::filesystem::path& socket) {
  const base::SteadyClock clock;
  const std::uint64_t end = clock.now_ns() + patience_ns;
  while (daemon::connect_to(socket)) {
    if (clock.now_ns() >= end) base::fail(ErrorCode::io_error, "the daemon at {} does not end", socket.string());
    daemon::pause(clock, step_ns);
  }
}

}  // namespace heddle::cli
