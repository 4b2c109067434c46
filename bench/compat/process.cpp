#include "compat/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> stop_all{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::size_t most_output = 4 * 1024 * 1024;

// In the child, between fork and exec: system calls only. Tells the parent over `report` what went wrong.
[[noreturn]] void become(char* const* words, const char* folder, int log, int report) {
  (void)::setpgid(0, 0);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input >= 0 && ::dup2(input, 0) >= 0 && ::dup2(log, 1) >= 0 && ::dup2(log, 2) >= 0 && ::chdir(folder) == 0)
    ::execvp(words[0], words);
  const int reason = errno;
  (void)!::write(report, &reason, sizeof reason);
  ::_exit(127);
}

// Looks every millisecond: half a millisecond is what a time is wrong by at most on average.
int wait_for(pid_t child, double limit, Ended& ended) {
  const base::SteadyClock clock;
  const base::Stopwatch watch(clock);
  int status = 0;
  for (;;) {
    const pid_t got = ::waitpid(child, &status, WNOHANG);
    ended.seconds = watch.seconds();
    if (got == child) return status;
    if (got < 0 && errno != EINTR) return 0;
    if (ended.seconds > limit || stop_all.load()) {
      ended.timed_out = true;
      (void)::kill(-child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return status;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string kept(std::string text) {
  if (text.size() <= most_output) return text;
  return text.substr(0, most_output / 2) + "\n...\n" + text.substr(text.size() - most_output / 2);
}

// Empty when exec succeeded, since the pipe closes then.
std::string failure_of_start(int report) {
  int reason = 0;
  ssize_t got = 0;
  while ((got = ::read(report, &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  return got == sizeof reason ? std::strerror(reason) : "";
}

}  // namespace

Ended run_to_end(const Command& command, const fs::path& log) {
  Ended ended;
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int pipe[2];
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (out < 0 || ::pipe2(pipe, O_CLOEXEC) != 0) {
    ended.not_started = std::strerror(errno);
    if (out >= 0) ::close(out);
    return ended;
  }
  const pid_t child = ::fork();
  if (child == 0) become(words.data(), command.folder.c_str(), out, pipe[1]);
  if (child < 0) ended.not_started = std::strerror(errno);
  ::close(pipe[1]);
  ::close(out);
  if (child > 0) {
    (void)::setpgid(child, child);  // here too: whoever comes first
    ended.not_started = failure_of_start(pipe[0]);
    const int status = wait_for(child, command.seconds, ended);
    if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    (void)::kill(-child, SIGKILL);  // what it left behind
  }
  ::close(pipe[0]);
  ended.output = kept(base::read_file_if_there(log).value_or(""));
  return ended;
}

void interrupt_all() noexcept { stop_all.store(true); }
bool interrupted() noexcept { return stop_all.load(); }

}  // namespace heddle::bench
