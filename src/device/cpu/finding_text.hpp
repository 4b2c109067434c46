// Sentences about what the checks have found in a launch.
#pragma once

#include <string>
#include <vector>

#include "device/cpu/launch_job.hpp"

namespace heddle::device::cpu {

class Allocator;

// One text for each pair of places, with how often it was found; of many the first, and how many more there are. Empty
// where nothing was found.
std::vector<std::string> describe_findings(const LaunchJob& job, const Allocator& allocator);

}  // namespace heddle::device::cpu
