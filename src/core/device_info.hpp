// A device's properties as the public interface has them.
#pragma once

#include "device/device.hpp"
#include "heddle/devices.hpp"

namespace heddle::core {

inline DeviceInfo public_info(const device::DeviceInfo& info) {
  return {.id = info.id,
          .name = info.name,
          .processors = info.processors,
          .warp_size = info.warp_size,
          .vector_bits = info.vector_bits,
          .memory_bytes = info.memory_bytes,
          .host_memory = info.host_memory,
          .managed_memory = info.managed_memory,
          .capability = info.capability,
          .simulated = info.simulated,
          .max_threads_per_block = info.max_threads_per_block,
          .max_shared_per_block = info.max_shared_per_block};
}

}  // namespace heddle::core
