#include "interpose/memory_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/format.hpp"
#include "base/print_error.hpp"
#include "base/variables.hpp"

namespace heddle::interpose {

// Never destroyed: programs free memory until their very end.
MemoryLimit* MemoryLimit::current() {
  static MemoryLimit* const limit = []() -> MemoryLimit* {
    try {
      if (const auto bytes = base::number_variable("HEDDLE_MEMORY_LIMIT")) return new MemoryLimit(*bytes);
    } catch (const std::exception& error) {
      base::print_error("heddle: this process has no limit of memory: {}\n", error.what());
    }
    return nullptr;
  }();
  return limit;
}

std::optional<MemoryLimit::Owner> MemoryLimit::current_owner() {
  Owner owner;
  if (HEDDLE_FORWARD(cuCtxGetCurrent, &owner.context) != CUDA_SUCCESS || !owner.context) return std::nullopt;
  if (HEDDLE_FORWARD(cuCtxGetDevice, &owner.device) != CUDA_SUCCESS) return std::nullopt;
  return owner;
}

std::uint64_t MemoryLimit::left(CUdevice device) {
  const base::Lock lock(mutex_);
  return limit_ - std::min(limit_, used_[device]);
}

bool MemoryLimit::take(CUdevice device, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  std::uint64_t& used = used_[device];
  if (bytes > limit_ || used > limit_ - bytes) return false;
  used += bytes;
  return true;
}

void MemoryLimit::give(CUdevice device, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  std::uint64_t& used = used_[device];
  used -= std::min(used, bytes);
}

void MemoryLimit::note(const Owner& owner, std::uint64_t handle, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  allocations_[handle] = {owner, bytes};
}

void MemoryLimit::freed(std::uint64_t handle) {
  const base::Lock lock(mutex_);
  const auto found = allocations_.find(handle);
  if (found == allocations_.end()) return;
  std::uint64_t& used = used_[found->second.owner.device];
  used -= std::min(used, found->second.bytes);
  allocations_.erase(found);
}

void MemoryLimit::forget(CUcontext context) {
  const base::Lock lock(mutex_);
  for (auto at = allocations_.begin(); at != allocations_.end();) {
    const Allocation& allocation = at->second;
    if (allocation.owner.context != context) {
      ++at;
      continue;
    }
    std::uint64_t& used = used_[allocation.owner.device];
    used -= std::min(used, allocation.bytes);
    at = allocations_.erase(at);
  }
}

}  // namespace heddle::interpose
