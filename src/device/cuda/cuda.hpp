// NVIDIA GPUs, through their driver.
#pragma once

#include <memory>
#include <string>

#include "base/trace.hpp"
#include "base/watcher.hpp"
#include "device/device.hpp"

namespace heddle::device::cuda {

struct CudaOptions {
  int ordinal = 0;                   // the driver's number of the GPU
  base::TraceSink* trace = nullptr;  // must outlive the device
  // Calls back for events; times of events are given on its clock. Null: base::process_watcher().
  std::shared_ptr<base::Watcher> watcher = {};
};

// How many GPUs there are; 0 without a driver. `why`, when given and the result is 0, receives the reason, a sentence.
int cuda_device_count(std::string* why = nullptr);

// Throws not_found when there is no such GPU, unsupported when it cannot be used.
std::unique_ptr<Device> make_cuda_device(const CudaOptions& options = {});

}  // namespace heddle::device::cuda
