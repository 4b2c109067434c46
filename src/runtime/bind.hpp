// Resolves the arguments of a launch against the parameters of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "sched/bound_launch.hpp"

namespace heddle::core {
class Core;
}

namespace heddle::runtime {

class KernelState;

// Fills in everything but the place. Throws invalid_argument with the kernel and the parameter: for a wrong number of
// arguments, a value of another size or kind, bytes outside an array, an annotation that the PTX contradicts, and
// blocks outside the grid. Analyses the kernel if that has not been done. Any thread, without the core's lock.
void bind(sched::BoundLaunch& bound, core::Core& core, KernelState& kernel, const LaunchOptions& options,
          std::span<const Argument> arguments);

// The integers among the arguments, by parameter; nothing for the others.
std::vector<std::optional<std::int64_t>> numbers_of(std::span<const Argument> arguments);

}  // namespace heddle::runtime
