// The roofline of a machine with kernels in it: what they compute a second over what they compute for each byte of
// DRAM.
#pragma once

#include <string>
#include <vector>

#include "simreport/run.hpp"

namespace heddle::simreport {

// An SVG for kernels that move bytes and compute in floating point; empty where there are none. Runs are numbered where
// there are several; the roof is that of the first.
std::string roofline_svg(const std::vector<Run>& runs);

}  // namespace heddle::simreport
