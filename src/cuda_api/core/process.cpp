#include "cuda_api/core/process.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"

namespace heddle::cuda_api {
namespace {

std::atomic<Process*> made_process{nullptr};

}  // namespace

Process* Process::if_made() noexcept { return made_process.load(std::memory_order_acquire); }

// A thread's own streams end with it; what is in them still runs. (In a process that was forked off there is nobody who
// would run it, and locks may be held for ever.)
ThreadState::~ThreadState() {
  if (streams.empty() || getpid() != process) return;
  for (const OwnStream& own : streams) {
    try {
      if (own.stream && own.stream->context && own.epoch == own.stream->context->epoch())
        own.stream->context->destroy_stream(*own.stream);
    } catch (const std::exception&) {  // it ended with the context
    }
  }
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

Registry& registry() {
  static Registry* const made = new Registry;  // never taken down, see Process
  return *made;
}

Process::Process()
    : settings_(read_settings()),
      runtime_({.devices = settings_.devices, .check = settings_.check, .slice = settings_.slice,
                .trace = settings_.trace}) {
  const std::vector<DeviceInfo> devices = runtime_.devices();
  // A CUDA program sees GPUs; the CPU stands in for one where there is none, or where it is asked for.
  const bool gpus = std::any_of(devices.begin(), devices.end(), [](const DeviceInfo& d) { return !d.host_memory; });
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (settings_.devices.empty() && gpus && devices[i].host_memory) continue;
    contexts_.push_back(
        std::make_unique<Context>(*this, static_cast<int>(contexts_.size()), runtime_.device(static_cast<int>(i))));
  }
}

Process& Process::get() {
  static Process* const made = [] {
    try {
      auto* process = new Process;  // never taken down
      made_process.store(process, std::memory_order_release);
      return process;
    } catch (const Error& error) {
      base::log_error("{}", error.what());
      throw Failure(cudaErrorNoDevice, error.what());
    }
  }();
  return *made;
}

Context& Process::context(int number) {
  if (number < 0 || number >= device_count())
    throw Failure(cudaErrorInvalidDevice,
                  "there is no device " + std::to_string(number) + "; there are " + std::to_string(device_count()));
  return *contexts_[static_cast<std::size_t>(number)];
}

}  // namespace heddle::cuda_api
