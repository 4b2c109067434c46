// The part of a page that shows one kernel.
#pragma once

#include <string>

#include "simreport/run.hpp"

namespace heddle::simreport {

std::string stalls_by_sm(const Machine& machine, const Launch& launch);
std::string lanes_over_time(const Machine& machine, const Launch& launch);
std::string uses_over_time(const Machine& machine, const Launch& launch);
std::string dram_over_time(const Machine& machine, const Launch& launch);  // empty where memory is ideal
std::string hot_lines(const Machine& machine, const Launch& launch);

}  // namespace heddle::simreport
