// What a device is and what it can do.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::device {

struct DeviceInfo {
  std::string id;                // "cpu", "interp", "cuda:0"
  std::string name;              // "AMD EPYC ..., 2 cores, AVX-512"
  unsigned processors = 1;       // SMs, or CPU workers
  unsigned partition_grain = 1;  // partitions consist of groups of so many processors: [0, grain), ...
  unsigned warp_size = 32;
  unsigned vector_bits = 0;  // of the host's vectors (CPU); 0 elsewhere
  std::uint64_t memory_bytes = 0;
  bool host_memory = false;  // its addresses are host addresses, which the host and other devices can use
  // The host can use its memory at the same addresses while kernels run, and variables of modules can be in host memory
  // (LoadOptions::placed).
  bool managed_memory = false;
  bool has_streams = false;   // Queue::call_with_stream calls its function at once, with a native stream
  unsigned capability = 0;    // of a GPU: 90 for compute capability 9.0
  double launch_seconds = 0;  // what submitting a launch takes the host at least; 0: much less than a kernel takes
  bool verifies = false;      // it verifies every access of a kernel, even without LoadOptions::check
  bool simulated = false;     // its clock shows the time of a simulated machine
  // After a fault of a kernel only its queue has failed. False: the device is lost, with all memory and modules.
  bool survives_faults = true;
  // Limits of a launch.
  unsigned max_threads_per_block = 1024;
  std::uint32_t max_block[3] = {1024, 1024, 64};
  std::uint64_t max_grid[3] = {0x7fffffff, 65535, 65535};
  std::uint64_t max_shared_per_block = 227 * 1024;
};

}  // namespace heddle::device
