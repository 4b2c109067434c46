// What every device asks of a launch before it takes it.
#pragma once

#include <cstddef>
#include <string_view>

#include "device/device_info.hpp"
#include "device/launch_config.hpp"
#include "device/load_options.hpp"
#include "device/module.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

// Throws unsupported for modules with addresses of 32 bits. `device` begins the sentence's second half: "the CPU
// device".
void check_module(const ptx::Module& module, std::string_view device);

// For devices whose memory is not the host's: throws unsupported where variables are to lie in that.
void refuse_placed(const LoadOptions& options, std::string_view device);

// Throws invalid_argument with the kernel's name when grid, block, shared memory, range or arguments are against the
// limits of the device or the directives of the kernel (.reqntid, .maxntid).
void check_launch(const DeviceInfo& info, const Function& function, const LaunchConfig& config, const BlockRange& range,
                  std::size_t argument_bytes);

// The same for a stoppable launch: cooperative ones throw unsupported besides.
void check_stoppable(const DeviceInfo& info, const Function& function, const LaunchConfig& config,
                     const BlockRange& range, std::size_t argument_bytes);

// What Queue::launch_parts() refuses whatever the device: parts of no blocks, cooperative launches.
void check_parts(const Function& function, const LaunchConfig& config, std::uint64_t part);

// The part of it that concerns the block.
void check_block(const DeviceInfo& info, const ptx::Function& function, const Dim3& block);

// For devices with clusters of one block only: throws unsupported for kernels that are declared for others
// (.reqnctapercluster). `device` begins the sentence's second half: "the CPU device".
void refuse_clusters(const ptx::Function& function, std::string_view device);

// Extents that a directive like .reqntid gives; missing ones are 1.
Dim3 extent_of(const ptx::FunctionDirective& directive);

}  // namespace heddle::device
