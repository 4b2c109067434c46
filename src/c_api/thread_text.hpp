// A text of each thread.
#pragma once

#include <pthread.h>

#include <cstdlib>
#include <cstring>

namespace heddle::c_api {

// For objects with static lifetime. Keeps the texts by a key of pthreads: C++ ends the process where there is no memory
// to register the destructor of a thread_local object.
class ThreadText {
 public:
  ThreadText() : made_(::pthread_key_create(&key_, &std::free) == 0) {}
  ThreadText(const ThreadText&) = delete;
  ThreadText& operator=(const ThreadText&) = delete;

  // The calling thread's text, until it sets another; "": none.
  const char* get() const noexcept {
    const void* const text = made_ ? ::pthread_getspecific(key_) : nullptr;
    return text != nullptr ? static_cast<const char*>(text) : "";
  }
  // Keeps a copy. Where there is no memory for it, the thread has no text then.
  void set(const char* text) noexcept {
    if (!made_) return;
    char* const copy = *text != '\0' ? ::strdup(text) : nullptr;
    void* const before = ::pthread_getspecific(key_);
    if (::pthread_setspecific(key_, copy) == 0)
      std::free(before);
    else
      std::free(copy);
  }

 private:
  pthread_key_t key_{};
  const bool made_;
};

}  // namespace heddle::c_api
