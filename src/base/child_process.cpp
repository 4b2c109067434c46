#include "base/child_process.hpp"
#include "base/thread_safety.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace heddle::base {
namespace {

struct Children {
  Mutex mutex;
  std::vector<pid_t> all;
  bool ended = false;  // this process ends, and takes the next one with it
};

// Never destroyed: a thread may end children while the process ends.
Children& children() {
  static Children* const made = new Children;
  return *made;
}

pid_t start(const std::function<pid_t()>& spawn) {
  const Lock lock(children().mutex);
  children().all.reserve(children().all.size() + 1);  // so that a child that was started is always known
  const pid_t pid = spawn();
  if (pid <= 0) return pid;
  if (children().ended) ::kill(pid, SIGTERM);
  children().all.push_back(pid);
  return pid;
}

}  // namespace

ChildProcess::ChildProcess(const std::function<pid_t()>& spawn) : pid_(start(spawn)) {}

ChildProcess::~ChildProcess() {
  if (waited_ || !started()) return;
  ::kill(pid_, SIGTERM);
  wait();
}

int ChildProcess::wait() {
  waited_ = true;
  if (!started()) return -1;
  // The child's number stays its own until it has been waited for, and end_all() must not know it any more then.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  bool ended = false;
  {
    const Lock lock(children().mutex);
    std::erase(children().all, pid_);
    ended = children().ended;
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) return -1;
  while (ended) ::pause();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::end_all() {
  const Lock lock(children().mutex);
  children().ended = true;
  for (const pid_t pid : children().all) ::kill(pid, SIGTERM);
}

}  // namespace heddle::base
