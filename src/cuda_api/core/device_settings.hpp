// What a program may set for a device. They end with cudaDeviceReset.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_safety.hpp"
#include "cuda_api/abi/runtime.hpp"

namespace heddle::cuda_api {

struct DeviceSettings {
  std::uint64_t epoch = 0;  // of the context
  std::size_t stack = 1024, printf_buffer = 1 << 20, heap = 8 << 20, granularity = 64, persisting = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;
};

// Any thread.
class GuardedSettings {
 public:
  // Runs f with the settings, one thread at a time; `epoch`: the context's.
  template <class F>
  void with(std::uint64_t epoch, F&& f) {
    const base::Lock lock(mutex_);
    if (settings_.epoch != epoch) settings_ = {.epoch = epoch};
    f(settings_);
  }

 private:
  heddle::base::Mutex mutex_;
  DeviceSettings settings_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::cuda_api
