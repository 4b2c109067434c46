// Launches of parts of grids, one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "device/cuda/command_stream.hpp"
#include "device/cuda/module.hpp"

namespace heddle::device::cuda {

class PartLauncher {
 public:
  // `commands` must outlive the commands that are put into the stream.
  explicit PartLauncher(CommandStream& commands) : commands_(commands) {}

  // A checked range in parts of `part` blocks. Needs the GPU's context. Throws unsupported where the kernel has no code
  // for parts.
  void launch(CudaFunction& kernel, const LaunchConfig& config, BlockRange range, std::uint64_t part,
              std::span<const std::byte> arguments);

 private:
  const DeviceState& state() const { return *commands_.state(); }
  void start(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
             std::uint64_t part, std::span<const std::byte> arguments) const;
  void refresh(const RangeCode& code) const;
  void begin_chain(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
                   std::uint64_t part, std::span<const std::byte> arguments) const;
  void start_in_turns(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
                      std::uint64_t part, std::span<std::byte> packed, bool chained) const;

  CommandStream& commands_;
};

}  // namespace heddle::device::cuda
