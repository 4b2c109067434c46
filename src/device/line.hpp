// Finds linear chains in a graph: launches that follow each other, with no other launch in parallel.
#pragma once

#include <span>
#include <vector>

#include "device/launch_graph.hpp"

namespace heddle::device {

// By index: whether the launch directly follows the launch at the index before it, and every other launch is ordered
// before both or after both. Parents must be those of a transitive reduction: no parent of a launch is an ancestor of
// another parent.
std::vector<bool> launches_in_line(std::span<const GraphLaunch> launches);

}  // namespace heddle::device
