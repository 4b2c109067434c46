// The allocations of a GPU, so that copies beyond one are refused before the driver sees them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/thread_safety.hpp"

namespace heddle::device::cuda {

// Any thread.
class SpanMap {
 public:
  void add(std::uint64_t address, std::uint64_t bytes);
  void remove(std::uint64_t address);
  bool contains(std::uint64_t address, std::uint64_t bytes) const;
  // "32 bytes behind the end of the allocation of 4096 bytes at 0x7f00": of the nearest one.
  std::string whereabouts(std::uint64_t address) const;

 private:
  mutable base::Mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> spans_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
