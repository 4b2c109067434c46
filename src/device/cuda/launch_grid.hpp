// A grid, given to the driver.
#pragma once

#include <cstddef>
#include <span>

#include "device/cuda/driver.hpp"
#include "device/queue.hpp"

namespace heddle::device::cuda {

// `early`: its blocks may begin when those of the grid before have ended, without waiting for their writes to be seen
// (CUDA's programmatic stream serialization).
inline driver::Result start_grid(const Driver& cuda, driver::FunctionHandle function, const Dim3& grid,
                                 const LaunchConfig& config, driver::Stream stream,
                                 std::span<const std::byte> arguments, bool early = false) {
  // The driver copies the arguments and does not write to them.
  auto* data = const_cast<std::byte*>(arguments.data());
  std::size_t bytes = arguments.size();
  void* extra[] = {driver::launch_buffer, data, driver::launch_buffer_size, &bytes, driver::launch_end};
  void** const packed = bytes == 0 ? nullptr : extra;
  if (!early)
    return cuda.launch(function, grid.x, grid.y, grid.z, config.block.x, config.block.y, config.block.z,
                       config.dynamic_shared_bytes, stream, nullptr, packed);
  driver::LaunchAttribute attribute;
  attribute.id = driver::programmatic_stream_serialization;
  attribute.number = 1;
  const driver::LaunchSettings settings{
      grid.x, grid.y,     grid.z, config.block.x, config.block.y, config.block.z, config.dynamic_shared_bytes,
      stream, &attribute, 1};
  return cuda.launch_with(&settings, function, nullptr, packed);
}

}  // namespace heddle::device::cuda
