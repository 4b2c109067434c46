// All that CUDA's libraries keep for a process. It is made at the first call, lives until the process ends, and is not
// taken down: programs call into it from destructors of their own. (The one global object of Heddle; the interface that
// it implements has no handle to hang its state on.)
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/memory_table.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/core/settings.hpp"
#include "cuda_api/core/virtual_memory.hpp"
#include "heddle/runtime.hpp"

namespace heddle::cuda_api {

// What a kernel<<<...>>>(...) expression has pushed and its stub takes.
struct PushedLaunch {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};

// Of a thread of the program.
struct ThreadState {
  struct OwnStream {
    CUstream_st* stream = nullptr;
    std::uint64_t epoch = 0;
  };
  ThreadState() : process(getpid()) {}
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;
  ~ThreadState();
  const pid_t process;
  bool in_host_function = false;  // runs one that a stream calls: no calls of CUDA
  int device = 0;
  int entered = -1;  // the device that the thread is set up for (heddle::Device::enter)
  cudaError_t last_error = cudaSuccess;
  std::vector<PushedLaunch> pushed;
  std::vector<OwnStream> streams;  // by the context's slot: the default stream of its own
  // The contexts that were pushed, the current one last. Empty until the first call that needs one: the runtime API
  // then takes the device's own, the driver API says that there is none.
  std::vector<Context*> contexts;
  // The call of the driver API that is under way, which runs with the means of the runtime API: errors are told in its
  // name, and are not the runtime's last one.
  const char* driver_call = nullptr;
};
ThreadState& thread_state();

// Marks the thread while a function of the program runs in a stream's order.
class InHostFunction {
 public:
  InHostFunction() { thread_state().in_host_function = true; }
  ~InHostFunction() { thread_state().in_host_function = before_; }
  InHostFunction(const InHostFunction&) = delete;
  InHostFunction& operator=(const InHostFunction&) = delete;

 private:
  const bool before_ = thread_state().in_host_function;
};

class Process {
 public:
  // Throws Failure when no device can be had, each time anew.
  static Process& get();
  // Null where the program has called nothing that needs a device.
  static Process* if_made() noexcept;
  // Whether this thread's call is making it.
  static bool is_under_way();

  const Settings& settings() const { return settings_; }
  heddle::Runtime& runtime() { return runtime_; }
  int device_count() const { return static_cast<int>(contexts_.size()); }
  // Throws cudaErrorInvalidDevice.
  Context& context(int number);
  // The calling thread's; the device's own becomes it where there is none.
  Context& current();
  // The calling thread goes on with this context's device.
  void enter(const Context& context);
  // Makes the device's own context the calling thread's, in the place of what was. Throws cudaErrorInvalidDevice.
  void use_device(int number);
  void use_context(Context& context);

  // A context beside a device's own. Throws cudaErrorInvalidDevice.
  Context& make_context(int number);
  // Ends it: its streams, its modules, its memory. The object stays, and is used again.
  void destroy_context(Context& context);
  // Whether this is a context that lives.
  bool has(const Context* context) const;

  std::uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  MemoryTable memory;
  VirtualMemory virtual_memory{*this};
  Slots<CUstream_st> streams;
  Slots<CUevent_st> events;

 private:
  Process();

  Settings settings_;
  heddle::Runtime runtime_;
  std::vector<std::unique_ptr<Context>> contexts_;  // the devices' own
  mutable std::mutex made_mutex_;
  std::vector<std::unique_ptr<Context>> made_;  // the others
  std::vector<Context*> ended_;                 // of these
  std::atomic<std::uint64_t> next_id_{1};
};

// Registration happens before main() and must not open devices: it has an object of its own, made at the first call.
Registry& registry();

}  // namespace heddle::cuda_api
