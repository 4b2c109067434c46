// Memory that a program maps at addresses of its choice: ranges of addresses, memory without an address, and which
// memory is mapped where (the virtual memory management of CUDA's driver).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

enum class MappedAccess : std::uint8_t { none, read, read_write };

// The functions of a device for that. Sizes and addresses are multiples of granularity(). The caller ensures that
// ranges are reserved before they are mapped, that no address is mapped twice, and that released memory is not used.
// Any thread. If the device refuses, the function throws Error: out_of_memory, unsupported, invalid_argument.
class AddressMapping {
 public:
  virtual ~AddressMapping() = default;
  virtual std::size_t granularity() = 0;

  // A range of addresses at which nothing is mapped. `alignment`: a power of two, at least the granularity. `wanted`:
  // where it should begin, if that is free; 0: anywhere.
  virtual std::uint64_t reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) = 0;
  virtual void free(std::uint64_t address, std::size_t size) = 0;

  struct Created {
    std::uint64_t handle = 0;
    bool compressible = false;
  };
  // Memory of this device. `compressible`: the device may keep it compressed, if it can.
  virtual Created create(std::size_t size, bool compressible) = 0;
  // The memory is freed when it is no longer mapped anywhere.
  virtual void release(std::uint64_t handle) noexcept = 0;

  // Maps the first `size` bytes of this device's memory `handle` at the address. No device may access them before
  // set_access().
  virtual void map(std::uint64_t address, std::size_t size, std::uint64_t handle) = 0;
  // Unmaps memory of this device; whole mappings.
  virtual void unmap(std::uint64_t address, std::size_t size) = 0;
  // Sets how this device may access the memory that is mapped there, of any device; whole mappings.
  virtual void set_access(std::uint64_t address, std::size_t size, MappedAccess access) = 0;
};

}  // namespace heddle
