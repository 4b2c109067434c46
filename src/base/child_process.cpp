#include "base/child_process.hpp"
#include "base/thread_safety.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace heddle::base {
namespace {

struct Children {
  base::Mutex mutex;
  std::vector<pid_t> all;
  bool ended = false;  // this process ends, and takes the next one with it
};

// Never destroyed: a thread may end children while the process ends.
Children& children() {
  static Children* const made = new Children;
  return *made;
}

}  // namespace

ChildProcess::ChildProcess(pid_t pid) : pid_(pid) {
  const base::Lock lock(children().mutex);
  if (children().ended) ::kill(pid, SIGTERM);
  children().all.push_back(pid);
}

ChildProcess::~ChildProcess() {
  if (waited_) return;
  ::kill(pid_, SIGTERM);
  wait();
}

int ChildProcess::wait() {
  waited_ = true;
  // The child's number stays its own until it has been waited for, and end_all() must not know it any more then.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  {
    const base::Lock lock(children().mutex);
    std::erase(children().all, pid_);
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::end_all() {
  const base::Lock lock(children().mutex);
  children().ended = true;
  for (const pid_t pid : children().all) ::kill(pid, SIGTERM);
}

}  // namespace heddle::base
