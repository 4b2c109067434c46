#include "cuda_api/core/thread_state.hpp"

#include <unistd.h>

namespace heddle::cuda_api {

// A thread's own streams end with it; what is in them still runs. (In a process that was forked off there is nobody who
// would run it, and locks may be held for ever.)
ThreadState::~ThreadState() {
  if (streams.empty() || getpid() != process) return;
  for (const OwnStream& own : streams)
    if (own.end) own.end(own);
}

namespace {

// Ends a thread's state with the thread. That of the main thread stays: programs call CUDA from destructors of global
// objects, which run after those of the thread's.
struct ThreadEnd {
  ThreadState** state;
  ~ThreadEnd() {
    if (getpid() == gettid()) return;
    delete *state;
    *state = nullptr;  // whoever comes later gets another, which stays
  }
};

ThreadState& make_thread_state(ThreadState*& state) {
  state = new ThreadState;
  thread_local bool ends = false;
  if (!ends) {
    thread_local const ThreadEnd end{&state};
    ends = end.state != nullptr;
  }
  return *state;
}

}  // namespace

ThreadState& thread_state() {
  thread_local ThreadState* state = nullptr;
  return state ? *state : make_thread_state(state);
}

}  // namespace heddle::cuda_api
