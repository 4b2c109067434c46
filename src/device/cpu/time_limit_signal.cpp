#include "device/cpu/time_limit_signal.hpp"

#include <signal.h>
#include <ucontext.h>

#include <mutex>

#include "device/cpu/fault_handlers.hpp"
#include "device/cpu/sanitizer.hpp"
#include "device/cpu/time_limit.hpp"
#include "device/cpu/worker.hpp"

namespace heddle::device::cpu {
namespace {

struct Installation {
  std::mutex mutex;
  unsigned users = 0;
  struct sigaction previous = {};
};
constinit Installation installation;

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = installation.previous;
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

HEDDLE_NO_SANITIZE void handle(int signal, siginfo_t* info, void* context) {
  Worker* const worker = worker_of_thread();
  const Warp* const warp = worker != nullptr ? worker->current() : nullptr;
  if (info->si_code != SI_TKILL || warp == nullptr) return pass_on(signal, info, context);
  const LaunchJob& job = *warp->block->job;
  const auto at = reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (job.time_limit() == nullptr || !job.time_limit()->expired() || !job.code().contains(at)) return;
  Fault& fault = worker->fault();
  fault.kind = FaultKind::time_limit;
  fault.instruction = at;
  fault.in_runtime = false;
  fault.lane = -1;
  leave_kernel(context, *worker);
}

}  // namespace

TimeLimitHandler::TimeLimitHandler(bool wanted) : wanted_(wanted) {
  if (!wanted_) return;
  const std::lock_guard guard(installation.mutex);
  if (installation.users++ != 0) return;
  struct sigaction action = {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(time_limit_signal, &action, &installation.previous);
}

TimeLimitHandler::~TimeLimitHandler() {
  if (!wanted_) return;
  const std::lock_guard guard(installation.mutex);
  if (--installation.users != 0) return;
  struct sigaction now = {};
  ::sigaction(time_limit_signal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &handle)
    ::sigaction(time_limit_signal, &installation.previous, nullptr);
}

void accept_time_limit_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, time_limit_signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace heddle::device::cpu
