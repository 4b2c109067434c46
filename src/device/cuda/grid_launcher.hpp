// Launches of whole grids.
#pragma once

#include <span>

#include "device/cuda/command_stream.hpp"
#include "device/cuda/module.hpp"

namespace heddle::device::cuda {

class GridLauncher {
 public:
  // `commands` must outlive the commands that are put into the stream.
  explicit GridLauncher(CommandStream& commands) : commands_(commands) {}

  // Throws unsupported for a part of a grid, invalid_argument for more blocks than run at once. Needs the GPU's
  // context.
  void check_cooperative(CudaFunction& kernel, const LaunchConfig& config, BlockRange range) const;
  // A checked launch. Needs the GPU's context.
  void launch(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments);

 private:
  const DeviceState& state() const { return *commands_.state(); }
  void start(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments) const;
  void start_ordinary(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments) const;
  void start_cooperative(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments) const;

  CommandStream& commands_;
};

}  // namespace heddle::device::cuda
