// Memory of a GPU, from the driver's pool.
#pragma once

#include <memory>

#include "device/cuda/state.hpp"
#include "device/memory.hpp"

namespace heddle::device::cuda {

class CudaMemory final : public Memory {
 public:
  // Usable on every queue at once. Throws out_of_memory, with who holds what.
  CudaMemory(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes);
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
};

// Host memory that the GPU reaches: copies from and to it run at the link's full rate and never block the host.
class PinnedMemory {
 public:
  PinnedMemory(std::shared_ptr<DeviceState> state, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* data() const { return data_; }
  driver::Address device_address() const { return device_address_; }

 private:
  std::shared_ptr<DeviceState> state_;
  void* data_ = nullptr;
  driver::Address device_address_ = 0;
};

}  // namespace heddle::device::cuda
