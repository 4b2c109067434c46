// Checks annotations of kernel arguments against the PTX.
#pragma once

#include <cstddef>
#include <string_view>

#include "heddle/kernel.hpp"

namespace heddle::runtime {

class KernelState;

// The access of a launch through the parameter, according to the annotation. Throws invalid_argument with the
// instruction if the PTX contradicts the annotation. To be called after KernelState::info(). `what` begins the message:
// "argument 2 of kernel k".
Access annotated(const KernelState& kernel, std::size_t parameter, Direction direction, std::string_view what);

}  // namespace heddle::runtime
