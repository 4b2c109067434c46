// Memory that a program maps itself, for devices whose memory is the host's: mappings of the system's.
#pragma once

#include "heddle/address_mapping.hpp"

namespace heddle::cuda_api {

// Handles are files without a name. An access that is set holds for the whole process.
class HostMapping final : public heddle::AddressMapping {
 public:
  std::size_t granularity() override { return std::size_t{2} << 20; }
  std::uint64_t reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) override;
  void free(std::uint64_t address, std::size_t size) override;
  Created create(std::size_t size, bool compressible) override;  // of zeros
  void release(std::uint64_t handle) noexcept override;
  void map(std::uint64_t address, std::size_t size, std::uint64_t handle) override;
  void unmap(std::uint64_t address, std::size_t size) override;
  void set_access(std::uint64_t address, std::size_t size, MappedAccess access) override;
};

}  // namespace heddle::cuda_api
