#include "device/cpu/fault_handlers.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <utility>

#include "base/thread_end.hpp"
#include "device/cpu/fault.hpp"
#include "device/cpu/sanitizer.hpp"
#include "device/cpu/worker.hpp"

#if !defined(__x86_64__) || !defined(__linux__)
#error "The CPU device's fault handling is written for Linux on x86-64."
#endif

namespace heddle::device::cpu {
namespace {

constexpr std::array<int, 4> caught = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// Handlers are a resource of the process that the system hands to a plain function; this is the state it needs.
struct Installation {
  std::mutex mutex;
  unsigned users = 0;
  struct sigaction previous[caught.size()] = {};
  // Before the first of ours. `previous` may pass signals on to us, if it came later and we took them again.
  struct sigaction original[caught.size()] = {};
};
constinit Installation installation;

// By signal: the frame of pass_on() that the calling thread is in; null: none. A handler that jumps out leaves it.
constinit thread_local const char* passing[caught.size()] __attribute__((tls_model("initial-exec"))) = {};
constexpr std::ptrdiff_t handler_frames = 32 * 1024;  // handlers above one that comes back to us

// Read in signal handlers, hence no lazy allocation.
constinit thread_local Worker* thread_worker __attribute__((tls_model("initial-exec"))) = nullptr;

// A stack for handlers, of the calling thread, freed when the thread ends.
class AlternateStack {
 public:
  void ensure() {
    if (checked_) return;
    checked_ = true;
    stack_t now = {};
    if (::sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return;  // the thread has one
    void* const memory = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t mine = {};
    mine.ss_sp = memory;
    mine.ss_size = size();
    if (::sigaltstack(&mine, nullptr) != 0 || !base::at_thread_end<&release>(memory)) release(memory);
  }

 private:
  static std::size_t size() {
    return std::max<std::size_t>(64 * 1024, 4 * static_cast<std::size_t>(::sysconf(_SC_MINSIGSTKSZ)));
  }
  static void release(void* memory) {
    stack_t off = {};
    off.ss_flags = SS_DISABLE;
    ::sigaltstack(&off, nullptr);
    ::munmap(memory, size());
  }
  bool checked_ = false;
};
constinit thread_local AlternateStack alternate_stack __attribute__((tls_model("initial-exec")));

// Signals of faults that the calling thread had blocked before it ran a kernel. The system ends a process in which such
// a fault happens, whatever its handlers are.
class BlockedFaults {
 public:
  void accept() {
    sigset_t all, before;
    sigemptyset(&all);
    for (const int signal : caught) sigaddset(&all, signal);
    if (::pthread_sigmask(SIG_UNBLOCK, &all, &before) != 0) return;
    for (std::size_t i = 0; i < caught.size(); ++i) blocked_[i] = blocked_[i] || sigismember(&before, caught[i]) == 1;
  }
  void restore() {
    if (std::none_of(blocked_.begin(), blocked_.end(), [](bool blocked) { return blocked; })) return;
    sigset_t these;
    sigemptyset(&these);
    for (std::size_t i = 0; i < caught.size(); ++i)
      if (std::exchange(blocked_[i], false)) sigaddset(&these, caught[i]);
    ::pthread_sigmask(SIG_BLOCK, &these, nullptr);
  }

 private:
  std::array<bool, caught.size()> blocked_ = {};
};
constinit thread_local BlockedFaults blocked_faults __attribute__((tls_model("initial-exec")));

// Continues here, on the worker's recovery stack, when the handler has returned.
HEDDLE_NO_SANITIZE void landing(Worker* worker) { worker->land(); }

// While one exists, signals are blocked as for a handler of `action` that the system has called.
class MaskOf {
 public:
  MaskOf(const struct sigaction& action, int signal) {
    ::pthread_sigmask(SIG_BLOCK, &action.sa_mask, &before_);
    if ((action.sa_flags & SA_NODEFER) == 0) return;
    // A handler that raises the signal again, as Python's faulthandler does, expects it to arrive at once.
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  }
  ~MaskOf() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  MaskOf(const MaskOf&) = delete;
  MaskOf& operator=(const MaskOf&) = delete;

 private:
  sigset_t before_;
};

void pass_on(int signal, siginfo_t* info, void* context) {
  const auto index = static_cast<std::size_t>(std::find(caught.begin(), caught.end(), signal) - caught.begin());
  const char* const before = passing[index];
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const bool comes_back = before != nullptr && here < before && before - here < handler_frames;
  const struct sigaction& previous = comes_back ? installation.original[index] : installation.previous[index];
  passing[index] = here;
  const MaskOf mask(previous, signal);
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // As if we had never been here: the instruction faults again, or the signal is sent again, and the default happens.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    if (info == nullptr || info->si_code <= 0) ::raise(signal);
  }
  passing[index] = before;
}

HEDDLE_NO_SANITIZE void handle(int signal, siginfo_t* info, void* raw_context) {
  Worker* worker = thread_worker;
  // si_code <= 0: sent by a process, not raised by an instruction.
  if (worker == nullptr || !worker->in_kernel() || info->si_code <= 0) {
    pass_on(signal, info, raw_context);
    return;
  }
  const auto& registers = static_cast<const ucontext_t*>(raw_context)->uc_mcontext.gregs;
  Fault& fault = worker->fault();
  fault.kind = FaultKind::signal;
  fault.signal = signal;
  // For a non-canonical address the CPU raises a general protection fault and the system reports address 0.
  fault.address_known = !(signal == SIGSEGV && info->si_code == SI_KERNEL);
  fault.address = reinterpret_cast<std::uint64_t>(info->si_addr);
  fault.instruction = reinterpret_cast<const void*>(registers[REG_RIP]);
  fault.in_runtime = false;
  fault.lane = -1;
  leave_kernel(raw_context, *worker);
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &handle;
}

// With the lock.
void install() {
  struct sigaction action = {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < caught.size(); ++i) {
    struct sigaction now = {};
    ::sigaction(caught[i], nullptr, &now);
    if (is_ours(now)) continue;
    installation.previous[i] = now;
    ::sigaction(caught[i], &action, nullptr);
  }
}

}  // namespace

// The kernel's stack may be full, so the thread continues elsewhere: as if landing(worker) had been called there.
HEDDLE_NO_SANITIZE void leave_kernel(void* context, Worker& worker) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<std::uint64_t>(worker.recovery_stack()) - 8);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&landing);
  registers[REG_RDI] = reinterpret_cast<greg_t>(&worker);
  constexpr greg_t direction = 0x400, alignment = 0x40000, trap = 0x100;
  registers[REG_EFL] &= ~(direction | alignment | trap);
}

FaultHandlers::FaultHandlers() {
  const std::lock_guard guard(installation.mutex);
  if (installation.users++ != 0) return;
  // One may still be ours: when somebody who chained to us kept it alive after the last device.
  for (std::size_t i = 0; i < caught.size(); ++i) {
    struct sigaction now = {};
    ::sigaction(caught[i], nullptr, &now);
    if (!is_ours(now)) installation.original[i] = now;
  }
  install();
}

void FaultHandlers::renew() {
  // Who installs one mostly installs all.
  struct sigaction now = {};
  if (::sigaction(SIGSEGV, nullptr, &now) != 0 || is_ours(now)) return;
  const std::lock_guard guard(installation.mutex);
  install();
}

FaultHandlers::~FaultHandlers() {
  const std::lock_guard guard(installation.mutex);
  if (--installation.users != 0) return;
  for (std::size_t i = 0; i < caught.size(); ++i) {
    struct sigaction now = {};
    ::sigaction(caught[i], nullptr, &now);
    // Somebody who came later may pass signals on to us: then our handler stays.
    if (is_ours(now)) ::sigaction(caught[i], &installation.previous[i], nullptr);
  }
}

Worker* worker_of_thread() { return thread_worker; }

void set_worker_of_thread(Worker* worker) {
  if (worker != nullptr) {
    alternate_stack.ensure();
    blocked_faults.accept();
  } else {
    blocked_faults.restore();
  }
  thread_worker = worker;
}

}  // namespace heddle::device::cpu
