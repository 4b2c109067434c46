// The last kernels of a queue, which messages about failures name.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

namespace heddle::device::cuda {

// Any thread.
class RecentKernels {
 public:
  void add(const std::string& kernel);
  void clear();
  // "kernel 'k'", "one of the queue's last kernels 'k', 'l'".
  std::string describe() const;

 private:
  mutable std::mutex mutex_;
  std::array<std::string, 4> names_;
  std::uint64_t launches_ = 0;
};

}  // namespace heddle::device::cuda
