// Kernels that may begin before the kernel in front of them has ended: what NVIDIA calls programmatic dependent launch.
//
// The rewritten kernel lets the next one begin as soon as all its own blocks have (griddepcontrol.launch_dependents),
// and waits until what it comes behind has ended, with all that this wrote (griddepcontrol.wait), before it first
// touches memory that others may see, and before any of its threads ends. So what it computes is the same, and its
// launch and what it does before it needs memory take no time of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// The kernel (an entry with a body, by index) of a module that verifies, alone under its name, with the parameters that
// it has, as PTX 7.8 for sm_90 at the least; nothing, and why not, where it cannot be. Pure.
std::optional<Module> allow_dependent_launch(const Module& module, std::uint32_t entry, std::string& why);

}  // namespace heddle::ptx
