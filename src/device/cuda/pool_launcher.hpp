// Launches that can be stopped between their blocks: persistent blocks, which take the grid's blocks from a counter.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "device/cuda/command_stream.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/pool_control.hpp"

namespace heddle::device::cuda {

class PoolLauncher {
 public:
  // `commands` must outlive the commands that are put into the stream.
  PoolLauncher(CommandStream& commands, std::shared_ptr<PoolTable> pools)
      : commands_(commands), pools_(std::move(pools)) {}

  // A checked launch; `residents` as in device::Queue. Needs the GPU's context. Throws invalid_argument where the
  // module was loaded without the code, unsupported where the kernel has none or the block's shape does not suit it.
  std::shared_ptr<StoppableLaunch> launch(CudaFunction& kernel, const LaunchConfig& config, BlockRange range,
                                          std::span<const std::byte> arguments, unsigned residents);

 private:
  // One launch.
  struct Pool {
    BlockRange range;
    unsigned residents;
    std::shared_ptr<PoolControl> control;  // the GPU may use its words until the end
    std::shared_ptr<CudaPoint> end;
  };
  const DeviceState& state() const { return *commands_.state(); }
  void start(CudaFunction& kernel, const LaunchConfig& config, const Pool& pool,
             std::span<const std::byte> arguments) const;
  void start_blocks(CudaFunction& kernel, const LaunchConfig& config, const Pool& pool,
                    std::span<const std::byte> arguments) const;

  CommandStream& commands_;
  std::shared_ptr<PoolTable> pools_;
  std::deque<Pool> pending_;  // not known to have ended
};

}  // namespace heddle::device::cuda
