// What ends with a thread, where there may be no memory. C++ ends the whole process when it cannot register the
// destructor of a thread_local object; these functions report it to the caller.
#pragma once

#include <pthread.h>

#include <new>
#include <optional>

namespace heddle::base {

// Has `function` called with `object`, which is not null, when the calling thread ends: after the destructors of its
// thread_local objects, and never in the main thread when the process ends. False: the system refuses, and nothing
// will be called. Each function has one object per thread; the last one given is the one that counts. The library that
// holds the function must stay loaded.
template <void (*function)(void*)>
bool at_thread_end(void* object) noexcept {
  static const std::optional<pthread_key_t> key = [] {
    pthread_key_t made{};
    return ::pthread_key_create(&made, function) == 0 ? std::optional(made) : std::nullopt;
  }();
  return key && ::pthread_setspecific(*key, object) == 0;
}

// An object of each thread.
template <typename T>
class ThreadObject {
 public:
  // The calling thread's only T, made at the first call and deleted when the thread ends. Null where there is no memory
  // for it. Code that runs after the deletion, at the very end of a thread, gets a new one.
  static T* get() noexcept {
    if (mine_ != nullptr) return mine_;
    T* const made = new (std::nothrow) T;
    if (made != nullptr && at_thread_end<&ThreadObject::end>(made)) return mine_ = made;
    delete made;
    return nullptr;
  }

 private:
  static void end(void* object) {
    mine_ = nullptr;
    delete static_cast<T*>(object);
  }
  inline static constinit thread_local T* mine_ = nullptr;
};

}  // namespace heddle::base
