// What a device is.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

struct DeviceInfo {
  std::string id = {};      // "cuda:0", "cpu", "interp": its name in options and launches
  std::string name = {};    // "NVIDIA H200", "AMD EPYC 9J14, 2 workers, AVX-512", "PTX interpreter"
  unsigned processors = 1;  // SMs of a GPU, workers of the CPU device, 1 of the interpreter
  unsigned warp_size = 32;
  unsigned vector_bits = 0;  // width of the CPU's vectors; 0 for other devices
  std::uint64_t memory_bytes = 0;
  bool host_memory = false;  // its memory is the host's
  // The host and kernels may use the same bytes: of its memory, and of variables that are placed
  // (heddle/placed_variables.hpp). True for the CPU device and the interpreter.
  bool managed_memory = false;
  unsigned capability = 0;  // of a GPU: 90 for compute capability 9.0
  bool simulated = false;   // a simulated GPU: its times are those of the simulated machine
  unsigned max_threads_per_block = 1024;
  std::uint64_t max_shared_per_block = 0;  // bytes, static and dynamic together
};

}  // namespace heddle
