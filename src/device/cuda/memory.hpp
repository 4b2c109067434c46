// Memory of a GPU: from the driver's pool, or on its own.
#pragma once

#include <memory>

#include "device/cuda/state.hpp"
#include "device/memory.hpp"

namespace heddle::device::cuda {

class CudaMemory final : public Memory {
 public:
  // Usable on every queue at once. Throws out_of_memory; the message lists what holds memory.
  CudaMemory(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes, bool pooled = true);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  Span span() const override { return {&device_, address_, bytes_}; }
  void* host() const override { return nullptr; }

 private:
  Device& device_;
  std::shared_ptr<DeviceState> state_;
  driver::Address address_ = 0;
  std::size_t bytes_;
  bool pooled_;
};

}  // namespace heddle::device::cuda
