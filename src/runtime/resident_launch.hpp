// The launch that most launches are: a whole grid, of arrays whose bytes are where it runs, by a runtime that submits
// it at once. What is the same for all launches of a runtime (Core::is_direct), of a kernel (KernelState::is_plain) and
// of a parameter (ParameterUse) was found out before, so that one pass over the arguments suffices.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "heddle/launch.hpp"
#include "runtime/core.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {

struct ResidentLaunch {
  graph::TaskRef task;
  std::size_t place;
};

// Submits it. Nothing: it is none of these, or the code for it is to be made first, or something is wrong with it;
// nothing has happened then. Must be called without the core's lock. Throws what the device throws.
std::optional<ResidentLaunch> launch_resident(Core& core, KernelState& kernel, const LaunchOptions& options,
                                              std::span<const Argument> arguments);

}  // namespace heddle::runtime
