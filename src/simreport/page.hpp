// Reports as one page of HTML that stands alone: no scripts, no network.
#pragma once

#include <string>
#include <vector>

#include "simreport/run.hpp"

namespace heddle::simreport {

std::string report_page(const Run& run);
// What schedulers did over time in the first launch, as an SVG of its own. Empty without a launch.
std::string slots_picture(const Run& run);
std::string compare_page(const std::vector<Run>& runs);

}  // namespace heddle::simreport
