// Implements heddle::LoadedKernel: a kernel on one device.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/module.hpp"
#include "heddle/device.hpp"
#include "heddle/error.hpp"

namespace heddle::queues {

class LoadedKernelState {
 public:
  LoadedKernelState(Kernel kernel, std::size_t place, device::Function& function);
  const Kernel& kernel() const { return kernel_; }
  std::size_t place() const { return place_; }
  device::Function& function() const { return function_; }
  const std::vector<ParameterPlace>& parameters() const { return parameters_; }
  // The number of blocks in each part into which a launch of `blocks` blocks is cut. 0: it is not cut, as it has no
  // more blocks than the runtime's slice, or as its blocks are not independent. The first call that needs it analyses
  // that. Any thread.
  std::uint64_t slice(std::uint64_t blocks) const {
    return blocks > slice_ && slice_ != 0 && can_be_cut() ? slice_ : 0;
  }
  // Records that the device has no code for parts. Launches are not cut from then on.
  void keep_whole(const Error& reason) const;

 private:
  bool can_be_cut() const;

  Kernel kernel_;
  std::size_t place_;
  device::Function& function_;  // of the module, which the kernel keeps alive
  std::vector<ParameterPlace> parameters_;
  std::uint64_t slice_;  // of the runtime; 0: none
  enum class Cut : std::uint8_t { not_known, possible, impossible };
  mutable std::atomic<Cut> cut_{Cut::not_known};
};

}  // namespace heddle::queues
