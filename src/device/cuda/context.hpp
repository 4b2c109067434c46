// A GPU's primary context, which all of the process share: other CUDA libraries in it as well.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/thread_safety.hpp"
#include "device/cuda/driver.hpp"

namespace heddle::device::cuda {

// One object per GPU for all that is open on it, so that all of them see a loss that one detects. Once
// lost, the GPU stays lost for the process: the driver gives every later context the same error, one made after
// cuDevicePrimaryCtxReset too (seen with driver 580 on an H200). Other GPUs and the host go on. Any thread.
class PrimaryContext {
 public:
  // Throws device_lost for a GPU that this process has lost, unsupported when the driver makes no context for another
  // reason. `id` is the device's, for messages.
  static std::shared_ptr<PrimaryContext> open(std::shared_ptr<const Driver> driver, driver::DeviceNumber number,
                                              const std::string& id);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  driver::Context handle() const { return handle_; }
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  // True for the first call.
  bool lose(const std::string& loss);
  std::string loss() const;

 private:
  PrimaryContext(std::shared_ptr<const Driver> driver, driver::DeviceNumber number)
      : driver_(std::move(driver)), number_(number) {}

  std::shared_ptr<const Driver> driver_;
  driver::DeviceNumber number_;
  driver::Context handle_ = nullptr;
  std::atomic<bool> lost_{false};
  mutable base::Mutex mutex_;
  std::string loss_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
