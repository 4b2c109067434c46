// Resolves the arguments of a launch against the parameters of the kernel.
#pragma once

#include <span>

#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "sched/bound_launch.hpp"

namespace heddle::runtime {

class Core;
class KernelState;

// Fills in everything but the place. Throws invalid_argument, naming the kernel and the parameter, when the number of
// arguments, the size or kind of a value, the bytes of an array, or what is said of it does not fit, or when the blocks
// are not part of the grid. Analyses the kernel if that has not happened. Any thread, without the core's lock.
void bind(sched::BoundLaunch& bound, Core& core, KernelState& kernel, const LaunchOptions& options,
          std::span<const Argument> arguments);

}  // namespace heddle::runtime
