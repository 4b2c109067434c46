// The state of CUDA's libraries for a thread of the program.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/caller_place.hpp"
#include "cuda_api/abi/runtime.hpp"

namespace heddle::cuda_api {

class Arguments;
class Context;

// What a kernel<<<...>>>(...) expression has pushed and its stub takes.
struct PushedLaunch {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  base::CallerPlace place;  // with --check=api: of the expression
};

// Of a thread of the program.
struct ThreadState {
  // A default stream of the thread's own; the context that made it ends it with the thread.
  struct OwnStream {
    CUstream_st* stream = nullptr;
    std::uint64_t epoch = 0;
    void (*end)(const OwnStream&) = nullptr;
  };
  ThreadState() : process(getpid()) {}
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;
  ~ThreadState();
  const pid_t process;
  bool launch_lacked_memory = false;  // what a call has waited for, not the call itself
  int device = 0;
  int entered = -1;  // the device that the thread is set up for (heddle::Device::enter)
  cudaError_t last_error = cudaSuccess;
  std::vector<PushedLaunch> pushed;
  base::CallerPlace launch_place;  // of the launch that a stub has taken and is about to make
  std::vector<OwnStream> streams;  // by the context's slot: the default stream of its own
  // The contexts that were pushed, the current one last. Empty until the first call that needs one: the runtime API
  // then takes the device's own, the driver API reports that there is no context.
  std::vector<Context*> contexts;
  // The call of the driver API in progress, which uses the functions of the runtime API: errors are reported with its
  // name, and do not become the runtime's last error.
  const char* driver_call = nullptr;
  const Arguments* arguments = nullptr;  // of the call that the thread is in, where known
};
ThreadState& thread_state();

// While a stub makes its launch: what it took is that launch's alone.
class TakenLaunchPlace {
 public:
  TakenLaunchPlace() = default;
  ~TakenLaunchPlace() {
    if (!thread_state().launch_place.empty()) thread_state().launch_place = {};
  }
  TakenLaunchPlace(const TakenLaunchPlace&) = delete;
  TakenLaunchPlace& operator=(const TakenLaunchPlace&) = delete;
};

}  // namespace heddle::cuda_api
