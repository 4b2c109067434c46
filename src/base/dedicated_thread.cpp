#include "base/dedicated_thread.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/system_limits.hpp"
#include "base/thread.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

constexpr std::size_t least_stack = 16 << 20;
// After this time the thread has begun to run, or it waits for the loader's lock. If it was only slow, the calling
// thread does the work, which is correct too.
constexpr std::uint64_t patience_ns = 100'000'000;

thread_local bool on_dedicated_thread = false;

// Both threads own it: the dedicated thread may begin after the calling thread has returned.
struct Work {
  enum class State { waiting, taken, given_up, done };
  std::function<void()> work;
  Mutex mutex;
  std::condition_variable changed;
  State state HEDDLE_GUARDED_BY(mutex) = State::waiting;
  std::exception_ptr failure;

  // False when it is taken already.
  bool take(State by) {
    const Lock lock(mutex);
    if (state != State::waiting) return false;
    state = by;
    changed.notify_all();
    return true;
  }
};

void run(Work& work) {
  // Acquires the loader's lock and releases it. So the calling thread, which waits for this work, does not hold it.
  Dl_info unused;
  ::dladdr(&least_stack, &unused);
  if (!work.take(Work::State::taken)) return;
  on_dedicated_thread = true;
  try {
    work.work();
  } catch (...) {
    work.failure = std::current_exception();
  }
  const Lock lock(work.mutex);
  work.state = Work::State::done;
  work.changed.notify_all();
}

void* thread_main(void* argument) {
  const std::unique_ptr<std::shared_ptr<Work>> work(static_cast<std::shared_ptr<Work>*>(argument));
  run(**work);
  return nullptr;
}

bool start(const std::shared_ptr<Work>& work, pthread_t& thread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::size_t stack = 0;
  pthread_attr_getstacksize(&attributes, &stack);
  pthread_attr_setstacksize(&attributes, std::max(stack, least_stack));
  auto argument = std::make_unique<std::shared_ptr<Work>>(work);
  const BlockedSignals blocked;
  const bool started = pthread_create(&thread, &attributes, &thread_main, argument.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (started) (void)argument.release();  // it is thread_main's
  return started;
}

}  // namespace

void run_on_dedicated_thread(const std::function<void()>& work) {
  pthread_t thread{};
  const auto shared = std::make_shared<Work>();
  shared->work = work;
  if (on_dedicated_thread || !start(shared, thread)) return work();
  Lock lock(shared->mutex);
  const SteadyClock clock;
  const std::uint64_t deadline = clock.now_ns() + patience_ns;
  while (shared->state == Work::State::waiting && clock.now_ns() < deadline)
    clock.wait_until(lock, shared->changed, deadline);
  if (shared->state == Work::State::waiting) {
    shared->state = Work::State::given_up;
    lock.unlock();
    pthread_detach(thread);
    return work();
  }
  while (shared->state != Work::State::done) lock.wait(shared->changed);
  lock.unlock();
  pthread_join(thread, nullptr);
  if (shared->failure) std::rethrow_exception(std::exchange(shared->failure, nullptr));
}

void run_with_usual_stack(const std::function<void()>& work) {
  const auto limit = stack_limit();
  if (limit && *limit < usual_stack_bytes) return run_on_dedicated_thread(work);
  work();
}

}  // namespace heddle::base
