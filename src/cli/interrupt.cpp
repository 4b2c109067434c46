#include "cli/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "base/child_process.hpp"
#include "base/replaced_file.hpp"
#include "base/temporary_folder.hpp"
#include "base/unfinished_file.hpp"

namespace heddle::cli {
namespace {

constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

// Signal handlers have no other place to find what they need.
std::atomic<bool> interrupted{false};
int to_watcher = -1;

void on_signal(int signal) {
  const int saved = errno;
  interrupted.store(true);
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t ignored = ::write(to_watcher, &byte, 1);
  errno = saved;
}

// Removing folders takes functions that a signal handler must not call, so a thread waits for the word.
void watch(int from_handler) {
  unsigned char byte = 0;
  while (::read(from_handler, &byte, 1) != 1) {
    if (errno != EINTR) return;
  }
  base::ChildProcess::end_all();
  base::UnfinishedFile::remove_all();
  base::ReplacedFile::restore_all();
  base::TemporaryFolder::remove_all();
  ::signal(byte, SIG_DFL);
  ::kill(::getpid(), byte);
}

}  // namespace

void clean_up_on_signals() {
  ::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of the write, which names the file
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // then what is left behind goes when the next compilation starts
  to_watcher = ends[1];
  try {
    std::thread(watch, ends[0]).detach();
  } catch (const std::system_error&) {
    return;
  }
  for (const int signal : signals) {
    struct sigaction present{}, wanted{};
    if (::sigaction(signal, nullptr, &present) != 0 || present.sa_handler == SIG_IGN) continue;
    wanted.sa_handler = &on_signal;
    wanted.sa_flags = SA_RESTART;
    ::sigaction(signal, &wanted, nullptr);
  }
}

void wait_if_interrupted() {
  while (interrupted.load()) ::pause();
}

}  // namespace heddle::cli
