// The last kernels of a queue, which messages about failures name.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/thread_safety.hpp"

namespace heddle::device::cuda {

// Any thread.
class RecentKernels {
 public:
  void add(const std::string& kernel);
  void clear();
  // "kernel 'k'", "one of the queue's last kernels 'k', 'l'".
  std::string describe() const;

 private:
  mutable base::Mutex mutex_;
  std::array<std::string, 4> names_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t launches_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace heddle::device::cuda
