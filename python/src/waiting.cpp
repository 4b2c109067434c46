#include "waiting.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "gil.hpp"

namespace heddle::python {
namespace {

std::atomic<unsigned> fork_generation{0};

// How long a signal may go unnoticed.
constexpr std::chrono::milliseconds look_for_signals{20};
constexpr int looks_a_second = 50;

// Makes the data that the C++ runtime keeps for the exceptions of the calling thread. Else the first one makes them,
// which may be that of a lack of memory; the dynamic linker then ends the process.
void prepare_exceptions() {
  volatile int made = std::uncaught_exceptions();  // a pure function, which compilers leave out where nobody reads it
  static_cast<void>(made);
}

// Address space for what a new thread allocates first. glibc maps it anew, and not from the heap, where there is too
// little address space for a heap of the thread's own.
class Reserve {
 public:
  Reserve() : memory_(::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Reserve() { ::munmap(memory_, bytes); }
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

 private:
  static constexpr std::size_t bytes = 256 * 1024;
  void* const memory_;
};

// Something that a helper does, and somebody may wait for.
class Task {
 public:
  explicit Task(std::function<void()> work) : work_(std::move(work)) {}
  void run() {
    work_();
    work_ = nullptr;  // what it owns goes before anybody is told
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return done_; });
  }

 private:
  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

// Threads that wait. There are as many as there were waits at the same time, as a rule one; they are never joined,
// since what they wait for may never happen.
class Helpers {
 public:
  // Null where the process can have no more threads or memory: the work has not been taken. It must not throw.
  std::shared_ptr<Task> run(const std::function<void()>& work) noexcept {
    try {
      auto task = std::make_shared<Task>(work);
      const std::lock_guard lock(mutex_);
      waiting_.push_back(task);
      if (idle_ >= waiting_.size()) {
        wanted_.notify_one();
      } else if (!start()) {
        waiting_.pop_back();
        return nullptr;
      }
      return task;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

 private:
  bool start() {
    // Signals are for Python's threads, but for those of faults: this thread may execute kernels while it waits.
    sigset_t all, before;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
      std::thread([this, reserve = std::make_unique<Reserve>()]() mutable {
        reserve.reset();
        prepare_exceptions();
        loop();
      }).detach();
    } catch (const std::exception&) {  // too many threads, or too little memory
      started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  [[noreturn]] void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      wanted_.wait(lock, [&] { return !waiting_.empty(); });
      --idle_;
      std::shared_ptr<Task> task = std::move(waiting_.back());
      waiting_.pop_back();
      lock.unlock();
      task->run();
      task.reset();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_;
  std::vector<std::shared_ptr<Task>> waiting_;
  std::size_t idle_ = 0;
};

std::atomic<Helpers*> the_helpers{nullptr};

// Made once in a process and never destroyed. Needs the GIL.
Helpers& helpers() {
  if (the_helpers.load() == nullptr) the_helpers.store(new Helpers);
  return *the_helpers.load();
}

// In a child that fork() has made none of the threads are left.
void after_fork() {
  fork_generation.fetch_add(1);
  the_helpers.store(nullptr);
}
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, &after_fork);

bool in_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

// The work, counted as abandoned for as long as it goes on after abandon().
struct Abandonable {
  std::mutex mutex;
  bool done = false, counted = false;
  std::shared_ptr<WaitState> state;

  explicit Abandonable(std::shared_ptr<WaitState> of) : state(std::move(of)) {}
  void abandon() {
    const std::lock_guard lock(mutex);
    if (!done) state->abandoned.fetch_add(1);
    counted = !done;
  }
  void end() {
    const std::lock_guard lock(mutex);
    done = true;
    if (counted) state->abandoned.fetch_sub(1);
  }
};

// Part of the static block, as the dynamic linker ends the process where it lacks memory for another.
constinit thread_local bool in_task __attribute__((tls_model("initial-exec"))) = false;

}  // namespace

InTask::InTask() { in_task = true; }
InTask::~InTask() { in_task = false; }

WaitState::WaitState() : generation(fork_generation.load()) {}

bool WaitState::of_this_process() const { return generation == fork_generation.load(std::memory_order_relaxed); }

void wait_for(const std::shared_ptr<WaitState>& state, std::function<Failure()> work,
              const std::function<void()>& after_a_second) {
  const auto do_here = [&] {
    Failure result;
    {
      const ReleasedGil released;
      result = work();
    }
    if (result) raise(result);
  };
  if (!in_main_thread()) return do_here();
  const auto result = std::make_shared<Failure>();
  const auto abandonable = std::make_shared<Abandonable>(state);
  const auto task = helpers().run([work, result, abandonable] {
    try {
      *result = work();
    } catch (const std::bad_alloc&) {
      *result = {HEDDLE_OUT_OF_MEMORY};
    }
    abandonable->end();
  });
  if (!task) return do_here();  // only that Ctrl-C waits
  for (int looks = 1;; ++looks) {
    {
      const ReleasedGil released;
      if (task->wait(look_for_signals)) break;
    }
    if (looks == looks_a_second && after_a_second) after_a_second();
    if (PyErr_CheckSignals() == 0) continue;
    abandonable->abandon();
    throw py::error_already_set();
  }
  if (*result) raise(*result);
}

void let_go(const std::shared_ptr<WaitState>& state, std::function<void()> free) {
  if (!state->of_this_process() || state->leak || Py_IsInitialized() == 0) return;
  if (PyGILState_Check() == 0) return free();
  if (in_task || state->abandoned.load() > 0) {
    helpers().run(free);  // without a thread it is never freed: waiting for it here might never end
    return;
  }
  const py::error_scope pending;  // destructors run while exceptions are on their way
  if (!in_main_thread()) {
    const ReleasedGil released;
    return free();
  }
  std::shared_ptr<Abandonable> abandonable;
  std::shared_ptr<Task> task;
  try {
    abandonable = std::make_shared<Abandonable>(state);
    task = helpers().run([free, abandonable] {
      free();
      abandonable->end();
    });
  } catch (const std::bad_alloc&) {  // as without a thread
  }
  if (!task) {
    const ReleasedGil released;
    return free();
  }
  for (;;) {
    {
      const ReleasedGil released;
      if (task->wait(look_for_signals)) return;
    }
    if (PyOS_InterruptOccurred() == 0) continue;
    abandonable->abandon();
    PyErr_SetInterrupt();  // a destructor cannot raise: the next instruction of Python does
    return;
  }
}

}  // namespace heddle::python
