// Memory that is put at addresses by hand: ranges of addresses, memory without an address, and what of it lies where
// (the virtual memory management of CUDA's driver).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

enum class MappedAccess : std::uint8_t { none, read, read_write };

// What a device has of it. Sizes and addresses are multiples of granularity(). Who calls keeps the books: that ranges
// are reserved, that nothing is mapped twice, that nobody uses what goes. Any thread. What the device refuses throws
// Error: out_of_memory, unsupported, invalid_argument.
class AddressMapping {
 public:
  virtual ~AddressMapping() = default;
  virtual std::size_t granularity() = 0;

  // A range of addresses at which nothing is. `alignment`: a power of two, at least the granularity. `wanted`: where it
  // should begin, if that is free; 0: anywhere.
  virtual std::uint64_t reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) = 0;
  virtual void free(std::uint64_t address, std::size_t size) = 0;

  struct Created {
    std::uint64_t handle = 0;
    bool compressible = false;
  };
  // Memory of this device. `compressible`: so that the device may keep it compressed, if it can.
  virtual Created create(std::size_t size, bool compressible) = 0;
  // It goes when it is mapped nowhere any more.
  virtual void release(std::uint64_t handle) noexcept = 0;

  // The first `size` bytes of this device's memory `handle` are at the address from now on; nobody may access them yet.
  virtual void map(std::uint64_t address, std::size_t size, std::uint64_t handle) = 0;
  // Of memory of this device; whole mappings.
  virtual void unmap(std::uint64_t address, std::size_t size) = 0;
  // What this device may do with what is mapped there, of whatever device; whole mappings.
  virtual void set_access(std::uint64_t address, std::size_t size, MappedAccess access) = 0;
};

}  // namespace heddle
