// Which launches of a graph come one behind the other, with nothing beside them.
#pragma once

#include <span>
#include <vector>

#include "device/launch_graph.hpp"

namespace heddle::device {

// By place: whether the launch and the one at the place before it come one behind the other, and every other launch
// before both or behind both. Parents are those of a transitive reduction: a launch that comes behind another by way of
// a third does not name it.
std::vector<bool> launches_in_line(std::span<const GraphLaunch> launches);

}  // namespace heddle::device
