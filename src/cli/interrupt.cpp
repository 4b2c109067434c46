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
#include "base/thread.hpp"
#include "base/unfinished_file.hpp"

namespace heddle::cli {
namespace {

constexpr std::array<int, 5> signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

// Signal handlers have no other place to find what they need.
std::atomic<bool> interrupted{false};
int to_watcher = -1;

void on_signal(int signal, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
  interrupted.store(true);
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t ignored = ::write(to_watcher, &byte, 1);
  // A write to a pipe that nobody reads does not return, as without this. Such a thread holds no lock of the watcher's.
  while (signal == SIGPIPE && info->si_pid == ::getpid()) ::pause();
  errno = saved;
}

// Does nothing: the write that goes over the limit fails. A handler, because programs that this one starts or becomes
// get no handlers. They would get an ignored signal.
void let_the_write_fail(int, siginfo_t*, void*) {}

// Signals that are ignored stay ignored.
void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction present{}, wanted{};
  if (::sigaction(signal, nullptr, &present) != 0 || present.sa_handler == SIG_IGN) return;
  wanted.sa_sigaction = handler;
  wanted.sa_flags = SA_RESTART | SA_SIGINFO;
  ::sigaction(signal, &wanted, nullptr);
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
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, byte);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);  // all other threads may block it
  ::kill(::getpid(), byte);
}

}  // namespace

void clean_up_on_signals() {
  handle(SIGXFSZ, &let_the_write_fail);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // then what is left behind goes when the next compilation starts
  to_watcher = ends[1];
  try {
    const base::BlockedSignals blocked;  // see hand_signals_over()
    std::thread(watch, ends[0]).detach();
  } catch (const std::system_error&) {
    return;
  }
  for (const int signal : signals) handle(signal, &on_signal);
}

// Handlers run in the calling thread, as Heddle's own threads block signals, so none is between its begin and its note.
void hand_signals_over() {
  for (const int signal : signals) {
    struct sigaction present{};
    if (::sigaction(signal, nullptr, &present) == 0 && present.sa_sigaction == &on_signal) ::signal(signal, SIG_DFL);
  }
  wait_if_interrupted();
}

void wait_if_interrupted() {
  while (interrupted.load()) ::pause();
}

}  // namespace heddle::cli
