// Arguments of kernels as devices take them.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "device/device.hpp"

namespace heddle::bench {

// The packed argument buffer.
template <class... Arguments>
std::vector<std::byte> pack(const device::Function& function, const Arguments&... arguments) {
  std::vector<std::byte> bytes(function.parameter_bytes());
  std::size_t i = 0;
  const auto put = [&](const auto& value) {
    std::memcpy(bytes.data() + function.parameters()[i++].offset, &value, sizeof value);
  };
  (put(arguments), ...);
  return bytes;
}

}  // namespace heddle::bench
