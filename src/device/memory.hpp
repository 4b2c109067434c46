// Memory of a device and spans of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::device {

class Device;

// `size` bytes at `address`; device null means host memory. A span owns nothing.
struct Span {
  Device* device = nullptr;
  std::uint64_t address = 0;
  std::size_t size = 0;

  static Span host(void* data, std::size_t bytes) { return {nullptr, reinterpret_cast<std::uint64_t>(data), bytes}; }
  static Span host(const void* data, std::size_t bytes) {
    return {nullptr, reinterpret_cast<std::uint64_t>(data), bytes};
  }
  Span sub(std::size_t offset, std::size_t bytes) const { return {device, address + offset, bytes}; }
};

// Owns an allocation. Destroying it frees the bytes and does not wait: the owner ensures that no command uses them.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual Span span() const = 0;
  // The host's pointer to the bytes; null if the host cannot access them. On the CPU device the device address itself.
  virtual void* host() const = 0;
  // From now on launches that have a footprint (Queue::set_footprint) may access the memory only as the footprint
  // permits.
  virtual void guard() {}
};

}  // namespace heddle::device
