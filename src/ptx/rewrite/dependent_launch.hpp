// Kernels that may begin before the preceding kernel has ended: NVIDIA's programmatic dependent launch.
//
// The rewritten kernel lets the next one begin as soon as all its own blocks have (griddepcontrol.launch_dependents),
// and waits until the preceding kernel has completed and its writes are visible (griddepcontrol.wait) before it first
// accesses memory that others may see, and before any of its threads exits. So its results are the same, and its launch
// and what it does before it needs memory overlap with the preceding kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// The kernel (an entry with a body, by index) of a module that verifies, alone under its name, with the parameters that
// it has, as PTX 7.8 for sm_90 or later; nothing, with the reason in `why`, where it is impossible. Pure.
std::optional<Module> allow_dependent_launch(const Module& module, std::uint32_t entry, std::string& why);

}  // namespace heddle::ptx
