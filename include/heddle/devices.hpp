// What a device is.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

struct DeviceInfo {
  std::string id;           // "cpu", "interp": what options and launches call it
  std::string name;         // "AMD EPYC 9J14, 2 cores, AVX-512"
  unsigned processors = 1;  // SMs of a GPU, workers of the CPU device
  unsigned warp_size = 32;
  unsigned vector_bits = 0;  // width of the CPU's vectors; 0 where that means nothing
  std::uint64_t memory_bytes = 0;
  unsigned max_threads_per_block = 1024;
  std::uint64_t max_shared_per_block = 0;  // bytes, static and dynamic together
};

}  // namespace heddle
