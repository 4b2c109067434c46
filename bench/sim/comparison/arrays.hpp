// Memory of a device under test, filled from the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::bench::comparison {

// Memory stays until whoever implements this is asked to free it. Addresses are the device's. One thread at a time.
class Arrays {
 public:
  virtual ~Arrays() = default;
  virtual std::uint64_t zeros(std::size_t bytes) = 0;
  virtual std::uint64_t array(const void* data, std::size_t bytes) = 0;
};

}  // namespace heddle::bench::comparison
