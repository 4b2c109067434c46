// The launch that most launches are: a whole grid, of arrays whose bytes are where it runs, by a runtime that submits
// it at once. What is the same for all launches of a runtime (core::Core::is_direct), of a kernel
// (KernelState::is_plain) and of a parameter (ParameterUse) was found out before, so that one pass over the arguments
// suffices.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/core.hpp"
#include "heddle/launch.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {

struct ResidentLaunch {
  graph::TaskRef task;
  std::size_t place;
};

// Submits such a launch. Returns nothing, and changes nothing, for a launch of another kind, for one whose code must
// be compiled first, and for one with a mistake. Must be called without the core's lock. Throws what the device throws.
std::optional<ResidentLaunch> launch_resident(core::Core& core, KernelState& kernel, const LaunchOptions& options,
                                              std::span<const Argument> arguments);

}  // namespace heddle::runtime
