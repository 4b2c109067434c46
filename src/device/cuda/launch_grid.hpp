// Launches of grids through the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/cuda/module.hpp"
#include "device/queue.hpp"

namespace heddle::device::cuda {

// Pointers to the arguments in a packed buffer. The driver copies the arguments and does not write to them.
inline std::vector<void*> pointers_into(std::span<const std::byte> packed, std::span<const ParameterLayout> places) {
  std::vector<void*> pointers;
  pointers.reserve(places.size());
  for (const ParameterLayout& place : places) pointers.push_back(const_cast<std::byte*>(packed.data()) + place.offset);
  return pointers;
}

// A packed buffer of arguments, as the driver takes it: whole, or as pointers to each argument where the machine code
// has the parameters in other places (CudaFunction::has_own_places). Refers to the buffer, which may change between
// launches. `entry` has the places of the arguments after the kernel's own.
class GridArguments {
 public:
  GridArguments(const CudaFunction& kernel, std::span<const std::byte> packed, const ptx::RangeEntry* entry = nullptr)
      : packed_(packed) {
    if (!kernel.has_own_places()) return;
    pointers_ = pointers_into(packed, kernel.parameters());
    if (!entry) return;
    for (const ptx::HiddenParameter& hidden : entry->hidden)
      pointers_.push_back(const_cast<std::byte*>(packed.data()) + hidden.offset);
  }
  std::span<const std::byte> packed() const { return packed_; }
  std::span<void* const> pointers() const { return pointers_; }  // none: the buffer is taken whole

 private:
  std::span<const std::byte> packed_;
  std::vector<void*> pointers_;
};

// Blocks of the code that so many SMs hold at a time.
inline std::uint64_t resident_blocks(const DeviceState& state, const DriverFunction& code, const LaunchConfig& config,
                                     unsigned processors) {
  return code.resident_blocks(state, config.block.count(), config.dynamic_shared_bytes) * processors;
}

// `early`: its blocks may begin when those of the grid before have ended, without waiting for their writes to be seen
// (CUDA's programmatic stream serialization).
inline driver::Result start_grid(const Driver& cuda, driver::FunctionHandle function, const Dim3& grid,
                                 const LaunchConfig& config, driver::Stream stream, const GridArguments& arguments,
                                 bool early = false) {
  const bool whole = arguments.pointers().empty();
  auto* data = const_cast<std::byte*>(arguments.packed().data());
  std::size_t bytes = arguments.packed().size();
  void* extra[] = {driver::launch_buffer, data, driver::launch_buffer_size, &bytes, driver::launch_end};
  void** const packed = bytes == 0 || !whole ? nullptr : extra;
  void** const pointers = whole ? nullptr : const_cast<void**>(arguments.pointers().data());
  if (!early)
    return cuda.launch(function, grid.x, grid.y, grid.z, config.block.x, config.block.y, config.block.z,
                       config.dynamic_shared_bytes, stream, pointers, packed);
  driver::LaunchAttribute attribute;
  attribute.id = driver::programmatic_stream_serialization;
  attribute.number = 1;
  const driver::LaunchSettings settings{
      grid.x, grid.y,     grid.z, config.block.x, config.block.y, config.block.z, config.dynamic_shared_bytes,
      stream, &attribute, 1};
  return cuda.launch_with(&settings, function, pointers, packed);
}

}  // namespace heddle::device::cuda
