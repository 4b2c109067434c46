#include "device/cuda/recent_kernels.hpp"
#include "base/kernel_name.hpp"

namespace heddle::device::cuda {

void RecentKernels::add(const std::string& kernel) {
  const base::Lock lock(mutex_);
  names_[launches_++ % names_.size()] = kernel;
}

void RecentKernels::clear() {
  const base::Lock lock(mutex_);
  launches_ = 0;
}

std::string RecentKernels::describe() const {
  std::string names;
  const base::Lock lock(mutex_);
  const std::uint64_t first = launches_ > names_.size() ? launches_ - names_.size() : 0;
  for (std::uint64_t i = first; i < launches_; ++i) {
    const std::string name = base::demangled(names_[i % names_.size()]);
    if (names.find("'" + name + "'") == std::string::npos) names += (names.empty() ? "'" : ", '") + name + "'";
  }
  if (names.empty()) return "work of another queue";
  return (launches_ == 1 ? "kernel " : "one of the queue's last kernels ") + names;
}

}  // namespace heddle::device::cuda
