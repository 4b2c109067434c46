// Policies by their names.
#pragma once

#include <memory>
#include <string_view>

#include "sched/policy.hpp"

namespace heddle::sched {

// A policy by its name and parameter: "direct" (returns null: tasks are submitted when they are made), "slice:BLOCKS",
// "bounded:MICROSECONDS"; those for kernels that share processors: "kernelet[:VARIANT]", "serial", "base:STREAMS",
// "mc:SEED"; and those for tenants: "lithos:OPTIONS", "mps-like", "priority", "reef", "orion", "tgs", "static",
// "timeslice" (docs/policies.md). Throws invalid_argument with the known names.
std::unique_ptr<Policy> make_policy(std::string_view name);

}  // namespace heddle::sched
