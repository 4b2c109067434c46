// What a process may take of each GPU's memory: HEDDLE_MEMORY_LIMIT, which `heddle tenant run --memory` sets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/thread_safety.hpp"
#include "interpose/forward.hpp"

namespace heddle::interpose {

// What the program allocates counts with the bytes that it asks for. Contexts, modules and what the driver rounds up do
// not. Any thread.
class MemoryLimit {
 public:
  // Null: the process has no limit.
  static MemoryLimit* current();

  explicit MemoryLimit(std::uint64_t bytes) : limit_(bytes) {}
  std::uint64_t bytes() const { return limit_; }
  std::uint64_t left(CUdevice device);

  struct Owner {
    CUdevice device = 0;
    CUcontext context = nullptr;  // whose end frees the memory; null: it belongs to the device
  };
  // That of the calling thread; nothing: it has no context.
  static std::optional<Owner> current_owner();

  // Calls `call()`, which sets `handle` to what it has allocated, if the limit leaves so many bytes. Else
  // CUDA_ERROR_OUT_OF_MEMORY, as of a GPU that has no more.
  template <class Allocate, class Handle>
  CUresult allocate(const Owner& owner, std::uint64_t bytes, const Handle* handle, Allocate&& call) {
    if (!take(owner.device, bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult result = call();
    if (result == CUDA_SUCCESS)
      note(owner, static_cast<std::uint64_t>(*handle), bytes);
    else
      give(owner.device, bytes);
    return result;
  }
  // Before what has this address or handle is freed.
  void freed(std::uint64_t handle);
  // A context has ended, and what was allocated in it.
  void forget(CUcontext context);

 private:
  struct Allocation {
    Owner owner;
    std::uint64_t bytes = 0;
  };
  bool take(CUdevice device, std::uint64_t bytes);
  void give(CUdevice device, std::uint64_t bytes);
  void note(const Owner& owner, std::uint64_t handle, std::uint64_t bytes);

  const std::uint64_t limit_;
  base::Mutex mutex_;
  std::map<CUdevice, std::uint64_t> used_ HEDDLE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Allocation> allocations_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::interpose
