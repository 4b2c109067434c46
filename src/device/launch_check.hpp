// Checks that every device makes before it accepts a launch.
#pragma once

#include <cstddef>
#include <string_view>

#include "device/device_info.hpp"
#include "device/launch_config.hpp"
#include "device/load_options.hpp"
#include "device/module.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

// Throws unsupported for modules with 32-bit addresses. `device`: its name in the message, as "the CPU device".
void check_module(const ptx::Module& module, std::string_view device);

// For devices whose memory is not the host's: throws unsupported if variables are to be placed in host memory.
void refuse_placed(const LoadOptions& options, std::string_view device);

// Throws invalid_argument with the kernel's name if grid, block, shared memory, range or arguments violate the limits
// of the device or the directives of the kernel (.reqntid, .maxntid).
void check_launch(const DeviceInfo& info, const Function& function, const LaunchConfig& config, const BlockRange& range,
                  std::size_t argument_bytes);

// The same for a stoppable launch; also throws unsupported for cooperative launches.
void check_stoppable(const DeviceInfo& info, const Function& function, const LaunchConfig& config,
                     const BlockRange& range, std::size_t argument_bytes);

// The checks of Queue::launch_parts() that hold on every device: refuses parts of no blocks and cooperative launches.
void check_parts(const Function& function, const LaunchConfig& config, std::uint64_t part);

// The part of check_launch() that concerns the block.
void check_block(const DeviceInfo& info, const ptx::Function& function, const Dim3& block);

// For devices with clusters of one block only: throws unsupported for kernels that are declared for larger ones
// (.reqnctapercluster). `device`: its name in the message, as "the CPU device".
void refuse_clusters(const ptx::Function& function, std::string_view device);

// The extents in a directive like .reqntid; missing ones are 1.
Dim3 extent_of(const ptx::FunctionDirective& directive);

}  // namespace heddle::device
