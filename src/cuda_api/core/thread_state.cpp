#include "cuda_api/core/thread_state.hpp"

#include <unistd.h>

#include <new>

#include "base/thread_end.hpp"

namespace heddle::cuda_api {

// A thread's own streams end with it; what is in them still runs. (In a process that was forked off there is nobody who
// would run it, and locks may be held for ever.)
ThreadState::~ThreadState() {
  if (streams.empty() || getpid() != process) return;
  for (const OwnStream& own : streams)
    if (own.end) own.end(own);
}

// That of the main thread stays when the process ends: programs call CUDA from destructors of global objects.
ThreadState& thread_state() {
  ThreadState* const state = base::ThreadObject<ThreadState>::get();
  if (state == nullptr) throw std::bad_alloc();
  return *state;
}

}  // namespace heddle::cuda_api
