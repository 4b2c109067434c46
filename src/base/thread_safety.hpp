// Annotations of which lock guards what. Clang checks them (-Wthread-safety; script/lint). Other compilers ignore them.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define HEDDLE_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define HEDDLE_THREAD_SAFETY(attribute)
#endif

#define HEDDLE_CAPABILITY(what) HEDDLE_THREAD_SAFETY(capability(what))
#define HEDDLE_SCOPED_CAPABILITY HEDDLE_THREAD_SAFETY(scoped_lockable)
#define HEDDLE_GUARDED_BY(lock) HEDDLE_THREAD_SAFETY(guarded_by(lock))
#define HEDDLE_REQUIRES(...) HEDDLE_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define HEDDLE_EXCLUDES(...) HEDDLE_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
#define HEDDLE_ACQUIRE(...) HEDDLE_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define HEDDLE_RELEASE(...) HEDDLE_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define HEDDLE_ASSERT_HELD(...) HEDDLE_THREAD_SAFETY(assert_capability(__VA_ARGS__))
#define HEDDLE_NO_THREAD_SAFETY_ANALYSIS HEDDLE_THREAD_SAFETY(no_thread_safety_analysis)
// For a function that takes a held Lock&, releases it for a while and acquires it again. Clang does not know that it
// was held.
#define HEDDLE_RELEASES_LOCK HEDDLE_NO_THREAD_SAFETY_ANALYSIS

namespace heddle::base {

class HEDDLE_CAPABILITY("mutex") Mutex {
 public:
  void lock() HEDDLE_ACQUIRE() { mutex_.lock(); }
  void unlock() HEDDLE_RELEASE() { mutex_.unlock(); }
  std::mutex& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

// Holds a mutex, like std::unique_lock. The mutex can be released and acquired again.
class HEDDLE_SCOPED_CAPABILITY Lock {
 public:
  explicit Lock(Mutex& mutex) HEDDLE_ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~Lock() HEDDLE_RELEASE() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  void lock() HEDDLE_ACQUIRE() { lock_.lock(); }
  void unlock() HEDDLE_RELEASE() { lock_.unlock(); }
  // Blocks until notified; spurious wake-ups are possible. The caller checks its condition in a loop. A predicate would
  // not do: clang does not know that a lambda runs with the lock.
  void wait(std::condition_variable& changed) { changed.wait(lock_); }
  // For waits with a time limit.
  std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace heddle::base
