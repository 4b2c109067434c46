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
  cudaError_t last_error = cudaSuccess;
  std::vector<PushedLaunch> pushed;
  std::vector<OwnStream> streams;  // by device: the default stream of its own
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

  const Settings& settings() const { return settings_; }
  heddle::Runtime& runtime() { return runtime_; }
  int device_count() const { return static_cast<int>(contexts_.size()); }
  // Throws cudaErrorInvalidDevice.
  Context& context(int number);
  Context& current() { return context(thread_state().device); }

  std::uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  MemoryTable memory;
  Slots<CUstream_st> streams;
  Slots<CUevent_st> events;

 private:
  Process();

  Settings settings_;
  heddle::Runtime runtime_;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::atomic<std::uint64_t> next_id_{1};
};

// Registration happens before main() and must not open devices: it has an object of its own, made at the first call.
Registry& registry();

}  // namespace heddle::cuda_api
