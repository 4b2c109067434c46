// Policies by their names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sched/policy.hpp"

namespace heddle::sched {

// A policy by its name and parameter: "direct" (returns null: tasks are submitted when they are made), "slice:BLOCKS",
// "bounded:MICROSECONDS"; those for kernels that share processors: "kernelet[:VARIANT]", "serial", "base:STREAMS",
// "mc:SEED"; and those for tenants: "lithos:OPTIONS", "mps-like", "priority", "reef", "orion", "tgs", "static",
// "timeslice" (docs/policies.md). Throws invalid_argument with the known names.
std::unique_ptr<Policy> make_policy(std::string_view name);

// Where the parameter of a policy is more than a device of so many units has: what it does there, as a sentence; empty:
// nothing of the kind. `text` is as of make_policy().
std::string note_on_policy(std::string_view text, std::string_view device, unsigned units);

// All of them, for messages.
std::string_view names_of_policies();

}  // namespace heddle::sched
