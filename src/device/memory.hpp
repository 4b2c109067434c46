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

// Owns an allocation; destroying it frees the bytes, and waits for nothing: the owner sees to it that no command uses
// it.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual Span span() const = 0;
  // Pointer through which the host can reach the bytes, or null. On the CPU device the device address itself.
  virtual void* host() const = 0;
  // From here on launches that have a footprint (Queue::set_footprint) touch it only as that allows.
  virtual void guard() {}
};

}  // namespace heddle::device
