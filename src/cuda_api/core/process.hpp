// All state of CUDA's libraries in a process. It is made at the first call, lives until the process ends, and is not
// destroyed: programs call into it from destructors of their own. (The one global object of Heddle; the interface that
// it implements has no handle that could own the state.)
#pragma once

#include <functional>

#include "cuda_api/core/contexts.hpp"
#include "cuda_api/core/memory_table.hpp"
#include "cuda_api/core/settings.hpp"
#include "cuda_api/core/thread_state.hpp"
#include "cuda_api/core/virtual_memory.hpp"
#include "heddle/runtime.hpp"

namespace heddle::cuda_api {

class Process {
 public:
  // Throws Failure if no device is available: the same each time. Only where memory was lacking, it looks again after a
  // while.
  static Process& get();
  // Null if the program has called nothing that needs a device.
  static Process* if_made() noexcept;
  // Calls f with it: at once if it exists, else when it is made, before others see it.
  static void when_made(std::function<void(Process&)> f);
  // Whether this thread's call is making it.
  static bool is_under_way();

  const Settings& settings() const { return settings_; }
  heddle::Runtime& runtime() { return runtime_; }
  int device_count() const { return contexts.device_count(); }
  // Throws cudaErrorInvalidDevice.
  Context& context(int number) const { return contexts.of_device(number); }
  // The calling thread's; if it has none, the device's own becomes it.
  Context& current();
  // The calling thread continues with this context's device.
  void enter(const Context& context);
  // Makes the device's own context the calling thread's, instead of the earlier one. Throws cudaErrorInvalidDevice.
  void use_device(int number);
  void use_context(Context& context);

  Handles handles;
  Contexts contexts{handles};
  MemoryTable memory;
  VirtualMemory virtual_memory{contexts, memory};

 private:
  Process();

  Settings settings_;
  heddle::Runtime runtime_;
};

}  // namespace heddle::cuda_api
