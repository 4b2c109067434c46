// Memory of a GPU that is put at addresses by hand.
#pragma once

#include <map>
#include <memory>

#include "base/thread_safety.hpp"
#include "device/cuda/state.hpp"
#include "heddle/address_mapping.hpp"

namespace heddle::device::cuda {

// The driver's own; beside it, what copies may reach (DeviceState::spans), where mappings side by side are one piece.
class CudaAddressMapping final : public AddressMapping {
 public:
  explicit CudaAddressMapping(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  std::size_t granularity() override;
  std::uint64_t reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) override;
  void free(std::uint64_t address, std::size_t size) override;
  Created create(std::size_t size, bool compressible) override;
  void release(std::uint64_t handle) noexcept override;
  void map(std::uint64_t address, std::size_t size, std::uint64_t handle) override;
  void unmap(std::uint64_t address, std::size_t size) override;
  void set_access(std::uint64_t address, std::size_t size, MappedAccess access) override;

 private:
  driver::PhysicalKind kind(bool compressible) const;

  std::shared_ptr<DeviceState> state_;
  base::Mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> pieces_ HEDDLE_GUARDED_BY(mutex_);  // begin and end, of what is mapped
};

}  // namespace heddle::device::cuda
